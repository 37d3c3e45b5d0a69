#pragma once

// Many callers at a time: as coroutines of one thread, or as blocking threads.
//
// Each caller does one thing after the other until the window is over; the figure is how many were done per
// second by all of them. Confined to the calling thread.

#include <umavez/task.hpp>

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace umavez::bench {

// Resumes tasks on the thread that calls run_until().
class LoopScheduler final : public Scheduler {
public:
    void resume_soon(std::coroutine_handle<> handle) override;

    // Until `done`, which only resumed tasks may change.
    void run_until(const std::function<bool()>& done);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::coroutine_handle<>> ready_;  // guarded by mutex_
    bool is_waiting_ = false;                     // guarded by mutex_
};

inline constexpr int callers_count = 64;

// `once` is called with numbers that never repeat in `next`.
double rate_of_tasks(
    std::chrono::milliseconds window,
    std::uint64_t& next,
    const std::function<Task<void>(std::uint64_t)>& once
);

double rate_of_threads(
    std::chrono::milliseconds window,
    std::uint64_t& next,
    const std::function<void(std::uint64_t)>& once
);

}  // namespace umavez::bench
