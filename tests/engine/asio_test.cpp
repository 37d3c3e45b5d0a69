// The awaitable API under Boost.Asio, with a handler that itself awaits Asio operations.

#include "shop.hpp"

#include <umavez/asio.hpp>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <stdexcept>

namespace umavez::shop {
namespace {

namespace asio = boost::asio;

asio::awaitable<Response> slow_effect(int& effects)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor, std::chrono::milliseconds{1}};
    co_await timer.async_wait(asio::use_awaitable);
    ++effects;
    Response response{.status = 202};
    response.body = "sent";
    co_return response;
}

asio::awaitable<void> send_twice(Engine& engine, int& effects, std::vector<std::string>& outcomes)
{
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    for (int i = 0; i < 2; ++i) {
        AsyncLeasedHandler handler = [&effects, executor](Lease&) {
            return from_asio<Response>(executor, [&effects] { return slow_effect(effects); });
        };
        const auto outcome =
            co_await on_asio(engine.async_leased(request("enviar", "k1"), std::move(handler)));
        EXPECT_TRUE(outcome);
        outcomes.emplace_back(to_text(*outcome));
    }
}

TEST(Asio, ALeasedOperationRunsOnceOnAnEventLoop)
{
    Shop shop;
    shop.declare({.name = "enviar", .policy = {.guarantee = Guarantee::leased}});
    shop.start();
    asio::io_context loop;
    int effects = 0;
    std::vector<std::string> outcomes;
    std::exception_ptr failure;

    asio::co_spawn(
        loop,
        send_twice(*shop.engine, effects, outcomes),
        [&](std::exception_ptr thrown) { failure = std::move(thrown); }
    );
    // A task waits for the store's thread, so the loop must not run dry meanwhile.
    const auto guard = asio::make_work_guard(loop);
    while (outcomes.size() < 2 && !failure) {
        ASSERT_GT(loop.run_one_for(test::wait_limit()), 0u) << test::not_met("the loop goes on");
    }

    EXPECT_EQ(failure, nullptr);
    EXPECT_EQ(outcomes, (std::vector<std::string>{"executed", "replayed"}));
    EXPECT_EQ(effects, 1);
}

Task<int> give_at_once(int value)
{
    co_return value;
}

Task<int> throw_at_once()
{
    throw std::runtime_error{"as it was thrown"};
    co_return 0;
}

// Goes on with its scheduler a moment after it began to wait, told by another thread.
struct FromAnotherThread {
    asio::thread_pool& others;

    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) const
    {
        Scheduler* const scheduler = handle.promise().scheduler;
        asio::post(others, [scheduler, handle] { scheduler->resume_soon(handle); });
    }
    void await_resume() const noexcept {}
};

Task<int> give_from_another_thread(int value, asio::thread_pool& others)
{
    FromAnotherThread wait{others};
    co_await wait;
    co_return value;
}

TEST(Asio, ATaskThatEndsAtOnceCostsNoTurnOfTheLoop)
{
    asio::io_context loop;
    int sum = 0;
    const auto add_up = [&sum]() -> asio::awaitable<void> {
        for (int i = 0; i < 100; ++i) sum += co_await on_asio(give_at_once(1));
    };

    asio::co_spawn(loop, add_up, asio::detached);

    EXPECT_LT(loop.run(), 10u);
    EXPECT_EQ(sum, 100);
}

TEST(Asio, AnExceptionOfTheTaskReachesTheCoroutine)
{
    asio::io_context loop;
    std::string what;
    const auto catch_it = [&what]() -> asio::awaitable<void> {
        try {
            co_await on_asio(throw_at_once());
        } catch (const std::runtime_error& error) {
            what = error.what();
        }
    };

    asio::co_spawn(loop, catch_it, asio::detached);
    loop.run();

    EXPECT_EQ(what, "as it was thrown");
}

TEST(Asio, AnExceptionOfTheCoroutineReachesTheTask)
{
    asio::io_context loop;
    std::string what;
    const auto throw_late = []() -> asio::awaitable<int> {
        co_await asio::post(asio::use_awaitable);
        throw std::runtime_error{"as it was thrown"};
    };
    const auto catch_it = [&loop, &what, &throw_late]() -> asio::awaitable<void> {
        Task<int> task = from_asio<int>(loop.get_executor(), throw_late);
        try {
            co_await on_asio(std::move(task));
        } catch (const std::runtime_error& error) {
            what = error.what();
        }
    };

    asio::co_spawn(loop, catch_it, asio::detached);
    loop.run();

    EXPECT_EQ(what, "as it was thrown");
}

// Without a strand the task may end on one thread while the coroutine goes to sleep on another.
TEST(Asio, TheEndAndTheWaitMayMeetOnTwoThreads)
{
    asio::thread_pool pool{2};
    asio::thread_pool others{1};
    constexpr int rounds = 2000;
    int sum = 0;
    const auto add_up = [&sum, &others]() -> asio::awaitable<void> {
        for (int i = 0; i < rounds; ++i) {
            sum += co_await on_asio(give_from_another_thread(1, others));
        }
    };

    asio::co_spawn(pool, add_up, asio::use_future).get();

    EXPECT_EQ(sum, rounds);
}

}  // namespace
}  // namespace umavez::shop
