#pragma once

// The bridge between an Asio coroutine and a Task: the task runs on the strand of the coroutine
// that waits for it. Confined to its executor.

#include <umavez/task.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <coroutine>
#include <exception>
#include <functional>
#include <utility>

namespace umavez::http {

// Resumes tasks on an executor. Outlives the tasks it was given to.
class AsioScheduler final : public Scheduler {
public:
    explicit AsioScheduler(boost::asio::any_io_executor executor) : executor_(std::move(executor))
    {
    }

    void resume_soon(std::coroutine_handle<> handle) override
    {
        boost::asio::post(executor_, [handle] { handle.resume(); });
    }

private:
    boost::asio::any_io_executor executor_;
};

struct TaskEnd {
    bool has_come = false;
    std::move_only_function<void()> on_end;
};

// A coroutine that is resumed once, when the task has ended, and frees itself.
struct TaskEndSignal {
    struct promise_type {
        TaskEndSignal get_return_object() noexcept
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

inline TaskEndSignal signal_end(TaskEnd& end)
{
    end.has_come = true;
    // What is called may destroy `end`.
    if (auto on_end = std::exchange(end.on_end, nullptr)) on_end();
    co_return;
}

template <typename T>
boost::asio::awaitable<T> await_task(Scheduler& scheduler, Task<T> task)
{
    TaskEnd end;
    TaskEndSignal signal = signal_end(end);
    task.start(scheduler, signal.handle);
    // Nothing else runs on this strand, so the task cannot end between the question and the wait.
    if (!end.has_come) {
        auto wait = [&end](auto handler) { end.on_end = std::move(handler); };
        co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
            std::move(wait), boost::asio::use_awaitable
        );
    }
    co_return task.take();
}

}  // namespace umavez::http
