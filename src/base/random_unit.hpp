#pragma once

// A random part of one: how much of a longest wait to wait. Thread-safe.

#include "base/random.hpp"

namespace umavez {

// Uniform in [0, 1).
inline double unit(Random& random)
{
    constexpr std::uint64_t steps = std::uint64_t{1} << 53U;  // as many as a double tells apart
    return static_cast<double>(uniform(random, steps)) / static_cast<double>(steps);
}

}  // namespace umavez
