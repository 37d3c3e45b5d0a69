#pragma once

// SideThreads: a thread or a few for work that blocks, so that it never stands on a thread of the
// server. What is asked waits its turn; destroying them finishes what is queued. Thread-safe.

#include <umavez/task.hpp>

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace umavez {

class SideThreads {
public:
    explicit SideThreads(std::size_t count = 1)
    {
        for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
    }
    ~SideThreads()
    {
        {
            const std::lock_guard guard{mutex_};
            stopping_ = true;
            changed_.notify_all();
        }
        for (std::thread& thread : threads_) thread.join();  // after what is queued
    }
    SideThreads(const SideThreads&) = delete;
    SideThreads& operator=(const SideThreads&) = delete;

    struct Awaiter {
        SideThreads& threads;
        std::function<void()> question;

        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        void await_suspend(std::coroutine_handle<Promise> handle)
        {
            Scheduler* const scheduler = handle.promise().scheduler;
            threads.push([this, scheduler, handle] {
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
    std::vector<std::thread> threads_;
};

}  // namespace umavez
