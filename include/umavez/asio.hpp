#pragma once

// Opt-in: umavez tasks as Boost.Asio operations, and Asio coroutines as handlers.
//
//     Result<Outcome> outcome = co_await umavez::on_asio(engine.async_leased(request, handler));
//
// where a handler that itself awaits Asio operations is wrapped by from_asio().
//
// A task goes on with the executor of the coroutine that awaits it. It always runs to its end: stop the
// engine's work before the io_context is destroyed. Confined to the executor.

#include <umavez/lease.hpp>
#include <umavez/task.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace umavez {

namespace detail {

class AsioScheduler final : public Scheduler {
public:
    explicit AsioScheduler(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    void resume_soon(std::coroutine_handle<> handle) override
    {
        boost::asio::post(executor_, [handle] { handle.resume(); });
    }

private:
    boost::asio::any_io_executor executor_;
};

// A coroutine nobody owns: it runs the task to its end and then tells the Asio side.
struct Detached {
    struct promise_type {
        Detached get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

template <typename T>
struct Ended {
    std::optional<T> value;
    std::exception_ptr exception;
};

template <typename T, typename Handler>
Detached run_detached(Task<T> task, std::unique_ptr<AsioScheduler> scheduler, Handler handler)
{
    struct Start {
        Task<T>& task;
        Scheduler& scheduler;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) const { task.start(scheduler, handle); }
        void await_resume() const noexcept {}
    };
    co_await Start{task, *scheduler};
    auto ended = std::make_shared<Ended<T>>();
    try {
        ended->value.emplace(task.take());
    } catch (...) {
        ended->exception = std::current_exception();
    }
    std::move(handler)(std::move(ended));
}

}  // namespace detail

// Awaits a task inside an Asio coroutine.
template <typename T>
boost::asio::awaitable<T> on_asio(Task<T> task)
{
    const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
    using Ended = std::shared_ptr<detail::Ended<T>>;
    auto initiate = [&task, executor](auto handler) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        auto scheduler = std::make_unique<detail::AsioScheduler>(executor);
        detail::run_detached(std::move(task), std::move(scheduler), [shared, executor](Ended ended) {
            boost::asio::post(executor, [shared, ended]() mutable { std::move (*shared)(std::move(ended)); });
        });
    };
    const Ended ended = co_await boost::asio::async_initiate<
        const boost::asio::use_awaitable_t<>,
        void(Ended)>(std::move(initiate), boost::asio::use_awaitable);
    if (ended->exception) std::rethrow_exception(ended->exception);
    co_return std::move(*ended->value);
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
    co_return co_await Awaiter{executor, run, std::nullopt, nullptr};
}

}  // namespace umavez
