#pragma once

// Task: the coroutine type of umavez. Lazy, single-owner, free of any event loop.
//
// A task runs on the thread that starts it until it waits for a store, a timer or another caller; it is then
// resumed by its Scheduler: the blocked thread itself under wait(), an Asio executor under umavez/asio.hpp,
// the simulator's seeded queue. A task is started once and must run to its end before it is destroyed.
//
// A callee that never waits need not be a coroutine: it does its work when it is called and returns
// Task::ready(value).
//
// Task is confined to its scheduler; a Scheduler's resume_soon is thread-safe.

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace umavez {

// Where suspended tasks go on.
class Scheduler {
public:
    virtual ~Scheduler() = default;

    // Called from any thread; the handle is resumed on a thread of the scheduler, never inside this call.
    virtual void resume_soon(std::coroutine_handle<> handle) = 0;

    // Whether short blocking reads may run on the current thread instead of hopping to another.
    virtual bool may_block() const noexcept { return false; }
};

template <typename T>
class Task;

namespace detail {

// The memory of coroutine frames. Each thread keeps some of those it freed: frames come and go at the rate
// of calls, in few sizes, and most are larger than what malloc keeps at hand.
void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes) noexcept;

struct TaskPromiseBase {
    Scheduler* scheduler = nullptr;
    std::coroutine_handle<> continuation = std::noop_coroutine();
    std::exception_ptr exception;

    struct FinalAwaiter {
        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) noexcept
        {
            return handle.promise().continuation;
        }
        void await_resume() const noexcept {}
    };

    static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }

    std::suspend_always initial_suspend() noexcept { return {}; }
    FinalAwaiter final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { exception = std::current_exception(); }
};

template <typename T>
struct TaskPromise : TaskPromiseBase {
    std::optional<T> value;

    Task<T> get_return_object() noexcept;
    template <typename U>
    void return_value(U&& result)
    {
        value.emplace(std::forward<U>(result));
    }
    T take()
    {
        if (exception) std::rethrow_exception(exception);
        return std::move(*value);
    }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
    Task<void> get_return_object() noexcept;
    void return_void() noexcept {}
    void take()
    {
        if (exception) std::rethrow_exception(exception);
    }
};

}  // namespace detail

template <typename T>
class [[nodiscard]] Task {
public:
    using promise_type = detail::TaskPromise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    Task() noexcept = default;
    explicit Task(Handle handle) noexcept : handle_(handle) {}
    Task(Task&& other) noexcept
        : handle_(std::exchange(other.handle_, {})), value_(std::move(other.value_))
    {
    }
    Task& operator=(Task&& other) noexcept
    {
        if (this != &other) {
            if (handle_) handle_.destroy();
            handle_ = std::exchange(other.handle_, {});
            value_ = std::move(other.value_);
        }
        return *this;
    }
    ~Task()
    {
        if (handle_) handle_.destroy();
    }

    // A task that has ended before it is started.
    template <typename U>
        requires(!std::is_void_v<T>)
    static Task ready(U&& value)
    {
        Task task;
        task.value_.emplace(std::forward<U>(value));
        return task;
    }

    // Runs the task on the current thread until its first wait. `done` is resumed when it has ended; the
    // result is then in take().
    void start(Scheduler& scheduler, std::coroutine_handle<> done = std::noop_coroutine())
    {
        if (value_) {
            done.resume();
            return;
        }
        handle_.promise().scheduler = &scheduler;
        handle_.promise().continuation = done;
        handle_.resume();
    }
    bool is_done() const noexcept { return value_ || (handle_ && handle_.done()); }
    T take()
    {
        if constexpr (!std::is_void_v<T>) {
            if (value_) return std::move(*value_);
        }
        return handle_.promise().take();
    }

    struct Awaiter {
        Task& task;  // lives as long as the co_await expression
        bool await_ready() const noexcept { return task.value_.has_value(); }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) noexcept
        {
            task.handle_.promise().scheduler = parent.promise().scheduler;
            task.handle_.promise().continuation = parent;
            return task.handle_;
        }
        T await_resume() { return task.take(); }
    };
    Awaiter operator co_await() && noexcept { return Awaiter{*this}; }

private:
    // One of the two, unless moved from.
    Handle handle_;
    std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> value_;
};

namespace detail {

template <typename T>
Task<T> TaskPromise<T>::get_return_object() noexcept
{
    return Task<T>{std::coroutine_handle<TaskPromise<T>>::from_promise(*this)};
}

inline Task<void> TaskPromise<void>::get_return_object() noexcept
{
    return Task<void>{std::coroutine_handle<TaskPromise<void>>::from_promise(*this)};
}

// The scheduler of a thread that has nothing better to do than to wait.
class BlockingScheduler final : public Scheduler {
public:
    void resume_soon(std::coroutine_handle<> handle) override
    {
        const std::lock_guard guard{mutex_};
        ready_.push_back(handle);
        // Under the lock: the waiting thread may destroy this object as soon as it is released.
        changed_.notify_one();
    }
    bool may_block() const noexcept override { return true; }

    template <typename Done>
    void run_until(const Done& done)
    {
        while (!done()) {
            std::coroutine_handle<> handle;
            {
                std::unique_lock lock{mutex_};
                changed_.wait(lock, [this] { return !ready_.empty(); });
                handle = ready_.back();
                ready_.pop_back();
            }
            handle.resume();
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::coroutine_handle<>> ready_;
};

}  // namespace detail

// Runs `task` on this thread and blocks until it has ended.
template <typename T>
T wait(Task<T> task)
{
    if (task.is_done()) return task.take();
    detail::BlockingScheduler scheduler;
    task.start(scheduler);
    scheduler.run_until([&task] { return task.is_done(); });
    return task.take();
}

}  // namespace umavez
