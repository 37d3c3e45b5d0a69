#pragma once

// Dice: the only randomness of a simulated world, a 64-bit counter behind a mixing function.
//
// fork() gives independent dice for a label, whatever was drawn before: taking a client or a fault away
// leaves the draws of all others alone, which is what makes a failing schedule shrinkable.
// Confined to the simulation's thread.

#include "base/random.hpp"

#include <umavez/time.hpp>

#include <algorithm>
#include <cstdint>

namespace umavez::simulation {

class Dice final : public Random {
public:
    explicit Dice(std::uint64_t seed) noexcept : seed_(seed), state_(mix(seed)) {}

    std::uint64_t next() override
    {
        state_ += 0x9e3779b97f4a7c15u;
        return mix(state_);
    }

    // In [0, bound); bound > 0.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    bool chance(std::uint32_t per_mille) { return below(1000) < per_mille; }

    // In [low, high].
    Duration between(Duration low, Duration high)
    {
        if (high <= low) return low;
        return low + Duration{static_cast<Duration::rep>(
                         below(static_cast<std::uint64_t>((high - low).count()) + 1)
                     )};
    }

    // Mostly near `low`, now and then anywhere up to `high`: real delays have a long tail.
    Duration tailed(Duration low, Duration high)
    {
        const Duration usual = std::min(high, low * 2 + Duration{100});
        return chance(900) ? between(low, usual) : between(low, high);
    }

    Dice fork(std::uint64_t label) const noexcept
    {
        return Dice{mix(seed_ ^ mix(label + 0x632be59bd9b4e019u))};
    }

private:
    static std::uint64_t mix(std::uint64_t value) noexcept
    {
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
        return value ^ (value >> 31);
    }

    std::uint64_t seed_;
    std::uint64_t state_;
};

}  // namespace umavez::simulation
