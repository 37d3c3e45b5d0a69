#pragma once

// Opt-in: umavez tasks as Boost.Asio operations, and Asio coroutines as handlers.
//
//     Result<Outcome> outcome = co_await umavez::on_asio(engine.async_leased(request, handler));
//
// where a handler that itself awaits Asio operations is wrapped by from_asio().
//
// A task goes on with the executor of the coroutine that awaits it. It always runs to its end: stop the
// engine's work before the io_context is destroyed. Confined to the executor.

#include <umavez/task.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace umavez {

namespace detail {

template <typename Executor>
class AsioScheduler final : public Scheduler {
public:
    explicit AsioScheduler(Executor executor) : executor_(std::move(executor)) {}

    void resume_soon(std::coroutine_handle<> handle) override
    {
        boost::asio::post(executor_, [handle] { handle.resume(); });
    }

private:
    Executor executor_;
};

// A coroutine nobody owns: it runs the task to its end and then wakes the Asio side.
struct Detached {
    struct promise_type {
        Detached get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

// Where the end of a task and the coroutine that waits for it meet. Without a strand they may be on two
// threads: whoever comes second wakes the coroutine.
template <typename T>
struct Meeting {
    std::optional<T> value;
    std::exception_ptr exception;
    std::move_only_function<void()> wake;
    std::atomic<bool> has_one_come = false;

    // Whether the other one is here already.
    bool arrive() noexcept { return has_one_come.exchange(true, std::memory_order_acq_rel); }
    bool has_ended() const noexcept { return has_one_come.load(std::memory_order_acquire); }
};

template <typename T, typename Executor>
Detached run_detached(Task<T> task, Executor executor, std::shared_ptr<Meeting<T>> meeting)
{
    struct Start {
        Task<T>& task;
        Scheduler& scheduler;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) const { task.start(scheduler, handle); }
        void await_resume() const noexcept {}
    };
    AsioScheduler<Executor> scheduler{std::move(executor)};
    co_await Start{task, scheduler};
    try {
        meeting->value.emplace(task.take());
    } catch (...) {
        meeting->exception = std::current_exception();
    }
    // Here a thread of the executor runs us, or the coroutine itself, which does not wait yet.
    if (meeting->arrive()) std::exchange(meeting->wake, nullptr)();
}

}  // namespace detail

// Awaits a task inside an Asio coroutine. A task that ends without a wait costs no turn of the loop.
// Cancelling the coroutine requests `stop`; the task is waited for all the same.
template <typename Executor = boost::asio::any_io_executor, typename T>
boost::asio::awaitable<T, Executor> on_asio(
    Task<T> task, std::stop_source stop = std::stop_source{std::nostopstate}
)
{
    const Executor executor = co_await boost::asio::this_coro::executor;
    auto meeting = std::make_shared<detail::Meeting<T>>();
    detail::run_detached(std::move(task), executor, meeting);
    if (!meeting->has_ended()) {
        auto fall_asleep = [&meeting, &executor, &stop](auto handler) {
            auto slot = boost::asio::get_associated_cancellation_slot(handler);
            if (stop.stop_possible() && slot.is_connected()) {
                slot.assign([stop](boost::asio::cancellation_type) mutable { stop.request_stop(); });
            }
            meeting->wake = std::move(handler);
            // It ended since the question above. A handler is never called where it is handed over.
            if (meeting->arrive()) {
                boost::asio::post(executor, std::exchange(meeting->wake, nullptr));
            }
        };
        constexpr boost::asio::use_awaitable_t<Executor> token;
        co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void()>(
            std::move(fall_asleep), token
        );
    }
    if (meeting->exception) std::rethrow_exception(meeting->exception);
    co_return std::move(*meeting->value);
}

// Runs an Asio coroutine inside a task, on `executor`.
template <typename T>
Task<T> from_asio(boost::asio::any_io_executor executor, std::function<boost::asio::awaitable<T>()> run)
{
    struct Awaiter {
        boost::asio::any_io_executor& executor;
        std::function<boost::asio::awaitable<T>()>& run;
        std::optional<T> value;
        std::exception_ptr exception;

        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<detail::TaskPromise<T>> handle)
        {
            Scheduler* const scheduler = handle.promise().scheduler;
            auto done = [this, handle, scheduler](std::exception_ptr failure, T result) {
                exception = std::move(failure);
                if (!exception) value.emplace(std::move(result));
                scheduler->resume_soon(handle);
            };
            boost::asio::co_spawn(executor, run, std::move(done));
        }
        T await_resume()
        {
            if (exception) std::rethrow_exception(exception);
            return std::move(*value);
        }
    };
    // Named: g++ 12 destroys it twice as a temporary, and the exception that it holds with it.
    Awaiter awaiter{executor, run, std::nullopt, nullptr};
    co_return co_await awaiter;
}

}  // namespace umavez
