#pragma once

// How long to wait before a write whose fate is unknown is sent again: 5 ms, 10 ms … half a second. Pure.

#include <umavez/time.hpp>

#include <algorithm>
#include <cstdint>

namespace umavez {

constexpr Duration repeat_delay(std::uint32_t repeats) noexcept
{
    constexpr Duration shortest = std::chrono::milliseconds{5};
    constexpr Duration longest = std::chrono::milliseconds{500};
    return std::min(longest, shortest * (1 << std::min(repeats, 10u)));
}

}  // namespace umavez
