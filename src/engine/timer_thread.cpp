#include "engine/timer_thread.hpp"

#include <algorithm>
#include <utility>

namespace umavez {

TimerThread::TimerThread(const Clock& clock) : clock_(clock) {}

TimerThread::~TimerThread()
{
    {
        const std::lock_guard guard{mutex_};
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

Timers::Id TimerThread::schedule(Duration delay, std::function<void()> fire)
{
    const Duration at = clock_.boottime() + delay;
    bool is_first = false;
    Id id = 0;
    {
        const std::lock_guard guard{mutex_};
        id = ++last_id_;
        is_first = due_.empty() || at < due_.begin()->first;
        due_.emplace(at, id);
        callbacks_.emplace(id, std::move(fire));
        start_if_first();
    }
    if (is_first) changed_.notify_all();
    return id;
}

void TimerThread::cancel(Id id)
{
    if (id == 0) return;  // never given out
    std::unique_lock lock{mutex_};
    // The entry in due_ stays and finds no callback.
    callbacks_.erase(id);
    if (!thread_.joinable() || std::this_thread::get_id() == thread_.get_id()) return;
    fired_.wait(lock, [&] { return running_ != id; });
}

void TimerThread::resume_soon(std::coroutine_handle<> handle)
{
    const std::lock_guard guard{mutex_};
    ready_.push_back(handle);
    start_if_first();
    changed_.notify_all();
}

void TimerThread::start_if_first()
{
    if (!thread_.joinable()) thread_ = std::thread{[this] { run(); }};
}

void TimerThread::run()
{
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        if (!ready_.empty()) {
            const std::vector<std::coroutine_handle<>> handles = std::exchange(ready_, {});
            lock.unlock();
            for (const auto handle : handles) handle.resume();
            lock.lock();
            continue;
        }
        const Duration now = clock_.boottime();
        if (!due_.empty() && due_.begin()->first <= now) {
            run_due(lock);
            continue;
        }
        if (due_.empty()) {
            changed_.wait(lock);
        } else {
            changed_.wait_for(lock, due_.begin()->first - now);
        }
    }
}

void TimerThread::run_due(std::unique_lock<std::mutex>& lock)
{
    const Id id = due_.begin()->second;
    due_.erase(due_.begin());
    const auto found = callbacks_.find(id);
    if (found == callbacks_.end()) return;
    const std::function<void()> fire = std::move(found->second);
    callbacks_.erase(found);
    running_ = id;
    lock.unlock();
    fire();
    lock.lock();
    running_ = 0;
    fired_.notify_all();
}

}  // namespace umavez
