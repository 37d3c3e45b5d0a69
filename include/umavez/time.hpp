#pragma once

// Time as the engine sees it: instants of the *store's* clock and durations, both in microseconds.
//
// No part of umavez compares an instant of one clock with an instant of another. Durations travel into a
// store, instants come out of it. Immutable after construction.

#include <chrono>
#include <cstdint>

namespace umavez {

using Duration = std::chrono::microseconds;
using Instant = std::chrono::sys_time<Duration>;

constexpr std::int64_t to_micros(Instant instant) noexcept
{
    return instant.time_since_epoch().count();
}

constexpr Instant from_micros(std::int64_t micros) noexcept
{
    return Instant{Duration{micros}};
}

// The clocks of a process. The only way to read time; tests and the simulator replace it.
// Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;

    // Wall clock: may step in both directions.
    virtual Instant realtime() const = 0;

    // Since boot, counting suspended time: never steps back while the machine runs.
    virtual Duration boottime() const = 0;
};

const Clock& system_clock() noexcept;

}  // namespace umavez
