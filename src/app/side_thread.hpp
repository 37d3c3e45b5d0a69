#pragma once

// SideThread: one thread for short blocking questions, so that they never stand on a thread of the
// server. Thread-safe.

#include <umavez/task.hpp>

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace umavez {

class SideThread {
public:
    SideThread() : thread_([this] { run(); }) {}
    ~SideThread()
    {
        {
            const std::lock_guard guard{mutex_};
            stopping_ = true;
            changed_.notify_one();
        }
        thread_.join();  // after what is queued
    }
    SideThread(const SideThread&) = delete;
    SideThread& operator=(const SideThread&) = delete;

    struct Awaiter {
        SideThread& thread;
        std::function<void()> question;

        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        void await_suspend(std::coroutine_handle<Promise> handle)
        {
            Scheduler* const scheduler = handle.promise().scheduler;
            thread.push([this, scheduler, handle] {
                question();
                scheduler->resume_soon(handle);
            });
        }
        void await_resume() const noexcept {}
    };

    // `question` must not throw; it writes its answer into the frame that waits.
    Awaiter ask(std::function<void()> question) { return {*this, std::move(question)}; }

private:
    void push(std::function<void()> work)
    {
        const std::lock_guard guard{mutex_};
        queue_.push_back(std::move(work));
        changed_.notify_one();
    }

    void run()
    {
        std::unique_lock lock{mutex_};
        for (;;) {
            changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            auto work = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            work();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;  // guarded by mutex_
    bool stopping_ = false;                    // guarded by mutex_
    std::thread thread_;
};

}  // namespace umavez
