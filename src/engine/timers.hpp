#pragma once

// Timers: the engine's way to wait for a time. Production has one thread behind it (TimerThread), the
// simulator its virtual clock.
//
// Thread-safe. Callbacks run one at a time, never inside schedule() or cancel(), and must be short.

#include <umavez/time.hpp>

#include <cstdint>
#include <functional>

namespace umavez {

class Timers {
public:
    virtual ~Timers() = default;

    using Id = std::uint64_t;

    virtual Id schedule(Duration delay, std::function<void()> fire) = 0;

    // After cancel() returns the callback is neither running nor will it run, unless it is the caller.
    virtual void cancel(Id id) = 0;
};

}  // namespace umavez
