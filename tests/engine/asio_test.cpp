// The awaitable API under Boost.Asio, with a handler that itself awaits Asio operations.

#include "shop.hpp"

#include <umavez/asio.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace umavez::shop {
namespace {

namespace asio = boost::asio;

asio::awaitable<Response> slow_effect(int& effects)
{
    asio::steady_timer timer{co_await asio::this_coro::executor, std::chrono::milliseconds{1}};
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

    asio::co_spawn(loop, send_twice(*shop.engine, effects, outcomes), [&](std::exception_ptr thrown) {
        failure = std::move(thrown);
    });
    // A task waits for the store's thread, so the loop must not run dry meanwhile.
    const auto guard = asio::make_work_guard(loop);
    while (outcomes.size() < 2 && !failure) {
        ASSERT_GT(loop.run_one_for(std::chrono::seconds{20}), 0u) << "nothing happened in time";
    }

    EXPECT_EQ(failure, nullptr);
    EXPECT_EQ(outcomes, (std::vector<std::string>{"executed", "replayed"}));
    EXPECT_EQ(effects, 1);
}

}  // namespace
}  // namespace umavez::shop
