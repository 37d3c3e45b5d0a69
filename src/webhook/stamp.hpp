#pragma once

// The time that a provider signs, and its age. Pure, thread-safe.
//
// Ages are counted in whole seconds, as the providers' own libraries do: a delivery of 300 s is still young
// enough under a tolerance of 300 s, one of 301 s is not, in both directions.

#include "webhook/refuse.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace umavez::webhook {

// Five minutes: what every provider with a signed time recommends.
inline constexpr Duration tolerance_default = std::chrono::minutes{5};

enum class StampUnit : std::uint8_t {
    seconds,
    by_magnitude,  // from 10^11 on milliseconds: as seconds that is the year 5138
};

// Seconds since 1970 in 1 to 15 decimal digits, nothing else; `where` names the field in the refusal.
std::expected<std::chrono::sys_seconds, Refusal> parse_stamp(
    std::string_view text, StampUnit unit, std::string_view where
);

Checked check_age(std::chrono::sys_seconds stamp, Duration tolerance, Instant now);

// What a sender writes.
std::string to_stamp(Instant now);

}  // namespace umavez::webhook
