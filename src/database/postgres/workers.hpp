#pragma once

// Workers: threads that run jobs for callers that must not block. A caller that may block runs its
// job itself. A job lives in the frame of the coroutine that awaits it.
//
// Threads are started when they are needed, up to a number. Thread-safe. Destroying it runs what is
// queued.

#include "base/fork.hpp"

#include <umavez/result.hpp>
#include <umavez/task.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace umavez::pg {

class Job {
public:
    // Keeps its answer and its exception to itself.
    virtual void run() noexcept = 0;

protected:
    ~Job() = default;

private:
    friend class Workers;
    std::coroutine_handle<> waiting_;
    Scheduler* scheduler_ = nullptr;
};

class Workers {
public:
    explicit Workers(std::size_t threads_max) : threads_max_(threads_max) {}
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    struct Awaiter {
        Workers& workers;
        Job& job;

        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        bool await_suspend(std::coroutine_handle<Promise> waiting) const
        {
            Scheduler& scheduler = *waiting.promise().scheduler;
            if (scheduler.may_block()) {
                job.run();
                return false;
            }
            workers.submit(job, waiting, scheduler);
            return true;
        }
        void await_resume() const noexcept {}
    };
    Awaiter run(Job& job) noexcept { return {*this, job}; }

    std::size_t queue_length() const;

private:
    void submit(Job& job, std::coroutine_handle<> waiting, Scheduler& scheduler);
    void loop();

    const std::size_t threads_max_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job*> queue_;
    std::size_t idle_ = 0;
    bool is_closed_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace umavez::pg
