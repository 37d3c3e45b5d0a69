#pragma once

// Work: something to be done on a lane or a reader, and the coroutine that waits for it.
//
// A Work lives in the frame of the coroutine that awaits it and is queued by links inside it, so a
// request costs the queue no allocation. From submit to the answer it belongs to the thread that
// runs it; as soon as its coroutine is handed to the scheduler it may be gone.
//
// Confined to one thread at a time.

#include "database/sqlite/sqlite_transaction.hpp"
#include "database/sqlite/tuning.hpp"

#include <coroutine>
#include <exception>

namespace umavez {

class Work {
public:
    // May be called more than once; only one run is committed. Its error undoes what it did.
    virtual Result<void> run(SqliteTransaction& transaction) = 0;

    // How it wants to be run; set before it is submitted.
    std::size_t members = 1;     // of a batch's limit
    bool is_urgent = false;      // completions and heartbeats go first
    bool is_alone = false;       // shares its transaction with nobody
    bool has_savepoint = false;  // its error must not cost its neighbours a second run
    bool is_brief = false;       // a read of a few rows by their keys: a waiting loop may do it itself
    bool is_trusted = false;     // of the engine: it throws only to end a simulated process
    Access access = Access::read_write;
    Duration run_limit = tuning::run_limit;

    // The answer.
    Result<void> result;
    std::exception_ptr exception;

    void wait_with(std::coroutine_handle<> waiting, Scheduler& scheduler) noexcept
    {
        waiting_ = waiting;
        scheduler_ = &scheduler;
    }

    // The last touch: the waiting coroutine may destroy this object at once, on another thread.
    void answer()
    {
        if (waiting_) scheduler_->resume_soon(waiting_);
    }

    Result<void> take_answer()
    {
        if (exception) std::rethrow_exception(exception);
        return std::move(result);
    }

protected:
    ~Work() = default;

private:
    friend class WorkList;

    Work* next_ = nullptr;
    std::coroutine_handle<> waiting_;
    Scheduler* scheduler_ = nullptr;
};

// First in, first out, by links inside the works. Not thread-safe.
class WorkList {
public:
    bool is_empty() const noexcept { return first_ == nullptr; }
    std::size_t size() const noexcept { return size_; }
    Work& front() noexcept { return *first_; }

    void push_back(Work& work) noexcept
    {
        work.next_ = nullptr;
        (first_ == nullptr ? first_ : last_->next_) = &work;
        last_ = &work;
        ++size_;
    }
    void push_front(Work& work) noexcept
    {
        work.next_ = first_;
        if (first_ == nullptr) last_ = &work;
        first_ = &work;
        ++size_;
    }
    Work& pop_front() noexcept
    {
        Work& work = *first_;
        first_ = work.next_;
        --size_;
        return work;
    }

private:
    Work* first_ = nullptr;
    Work* last_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace umavez
