#include "database/postgres/workers.hpp"

namespace umavez::pg {

Workers::~Workers()
{
    {
        const std::lock_guard guard{mutex_};
        is_closed_ = true;
        changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
}

std::size_t Workers::queue_length() const
{
    const std::lock_guard guard{mutex_};
    return queue_.size();
}

void Workers::submit(Job& job, std::coroutine_handle<> waiting, Scheduler& scheduler)
{
    job.waiting_ = waiting;
    job.scheduler_ = &scheduler;
    const std::lock_guard guard{mutex_};
    // First: where no thread can be had, nothing is queued that would outlive its coroutine.
    if (idle_ <= queue_.size() && threads_.size() < threads_max_) {
        threads_.emplace_back([this] { loop(); });
    }
    queue_.push_back(&job);
    changed_.notify_one();
}

void Workers::loop()
{
    std::unique_lock lock{mutex_};
    while (true) {
        ++idle_;
        changed_.wait(lock, [this] { return is_closed_ || !queue_.empty(); });
        --idle_;
        if (queue_.empty()) return;
        Job& job = *queue_.front();
        queue_.pop_front();
        lock.unlock();
        job.run();
        // The last touch: the coroutine may destroy the job at once, on another thread.
        job.scheduler_->resume_soon(job.waiting_);
        lock.lock();
    }
}

}  // namespace umavez::pg
