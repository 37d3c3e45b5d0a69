#include "support/callers.hpp"

#include <atomic>
#include <thread>

namespace umavez::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

double per_second(std::uint64_t count, SteadyClock::time_point since)
{
    return static_cast<double>(count) /
           std::chrono::duration<double>(SteadyClock::now() - since).count();
}

struct Window {
    SteadyClock::time_point ends_at;
    std::uint64_t& next;
    int running = 0;
};

Task<void> call_again(
    Window& window, const std::function<Task<void>(std::uint64_t)>& once
)
{
    while (SteadyClock::now() < window.ends_at) co_await once(window.next++);
    --window.running;
}

}  // namespace

void LoopScheduler::resume_soon(std::coroutine_handle<> handle)
{
    const std::lock_guard guard{mutex_};
    ready_.push_back(handle);
    if (!is_waiting_) return;
    is_waiting_ = false;
    changed_.notify_one();
}

void LoopScheduler::run_until(const std::function<bool()>& done)
{
    std::vector<std::coroutine_handle<>> ready;
    while (!done()) {
        {
            std::unique_lock lock{mutex_};
            while (ready_.empty()) {
                is_waiting_ = true;
                changed_.wait(lock);
            }
            is_waiting_ = false;
            ready.swap(ready_);
        }
        for (const std::coroutine_handle<> handle : ready) handle.resume();
        ready.clear();
    }
}

double rate_of_tasks(
    std::chrono::milliseconds window,
    std::uint64_t& next,
    const std::function<Task<void>(std::uint64_t)>& once
)
{
    LoopScheduler scheduler;
    const auto started_at = SteadyClock::now();
    const std::uint64_t first = next;
    Window shared{started_at + window, next, callers_count};
    std::vector<Task<void>> callers;
    callers.reserve(callers_count);
    for (int i = 0; i < callers_count; ++i) callers.push_back(call_again(shared, once));
    for (Task<void>& caller : callers) caller.start(scheduler);
    scheduler.run_until([&shared] { return shared.running == 0; });
    for (Task<void>& caller : callers) caller.take();
    return per_second(next - first, started_at);
}

double rate_of_threads(
    std::chrono::milliseconds window,
    std::uint64_t& next,
    const std::function<void(std::uint64_t)>& once
)
{
    const std::uint64_t first = next;
    std::atomic<std::uint64_t> number{next};
    const auto started_at = SteadyClock::now();
    {
        std::vector<std::jthread> callers;
        for (int i = 0; i < callers_count; ++i) {
            callers.emplace_back([&] {
                while (SteadyClock::now() < started_at + window) once(number.fetch_add(1));
            });
        }
    }
    next = number.load();
    return per_second(next - first, started_at);
}

}  // namespace umavez::bench
