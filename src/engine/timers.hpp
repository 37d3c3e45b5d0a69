#pragma once

// Timers: the engine's way to wait for a time. Production has one thread behind it (TimerThread), the
// simulator its virtual clock.
//
// Thread-safe. Callbacks run one at a time, never inside schedule() or cancel(), and must be short.

#include <umavez/task.hpp>
#include <umavez/time.hpp>

#include <coroutine>
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

    // Where the engine's own tasks (heartbeats) go on: the same thread that runs the callbacks.
    virtual Scheduler& scheduler() noexcept = 0;
};

// `co_await Pause{timers, 10ms};`
struct Pause {
    Timers& timers;
    Duration delay;

    bool await_ready() const noexcept { return delay <= Duration{0}; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) const
    {
        Scheduler* const scheduler = handle.promise().scheduler;
        timers.schedule(delay, [scheduler, handle] { scheduler->resume_soon(handle); });
    }
    void await_resume() const noexcept {}
};

}  // namespace umavez
