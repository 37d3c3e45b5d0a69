#pragma once

// TimerThread: real Timers. One thread fires callbacks and resumes the engine's own tasks; it starts with
// the first. Thread-safe. Destroying it stops the thread; what had not fired by then never does.

#include "engine/timers.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace umavez {

class TimerThread final : public Timers, private Scheduler {
public:
    explicit TimerThread(const Clock& clock);
    ~TimerThread() override;

    Id schedule(Duration delay, std::function<void()> fire) override;
    void cancel(Id id) override;
    Scheduler& scheduler() noexcept override { return *this; }

private:
    void resume_soon(std::coroutine_handle<> handle) override;
    void start_if_first();
    void run();
    void run_due(std::unique_lock<std::mutex>& lock);

    const Clock& clock_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable fired_;
    // Guarded by mutex_.
    std::multimap<Duration, Id> due_;
    std::unordered_map<Id, std::function<void()>> callbacks_;
    std::vector<std::coroutine_handle<>> ready_;
    Id last_id_ = 0;
    Id running_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace umavez
