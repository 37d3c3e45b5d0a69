// Commands inside Asio: awaited, handled by coroutines that await Asio operations, and cancelled
// the Asio way.

#include "mediator/orders.hpp"

#include <umavez/mediator/asio.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <stdexcept>

namespace umavez::orders {
namespace {

namespace asio = boost::asio;

void run_until(asio::io_context& loop, const std::function<bool()>& is_over)
{
    const auto guard = asio::make_work_guard(loop);
    while (!is_over()) {
        if (loop.run_one_for(test::wait_limit()) == 0)
            throw test::WaitNotMet{test::not_met("the loop goes on")};
    }
}

asio::awaitable<Order> order_slowly(int& runs)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor, 1ms};
    co_await timer.async_wait(asio::use_awaitable);
    co_return Order{++runs, ""};
}

TEST(MediatorOnAsio, ManyCoroutinesSendOneKeyAndTheHandlerRunsOnce)
{
    asio::io_context loop;
    int runs = 0;
    int answered = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>(
        [&](const CreateOrder&) -> Task<Order> {
            return from_asio<Order>(loop.get_executor(), [&runs] { return order_slowly(runs); });
        },
        {.wait = 1h}
    );
    const auto mediator = must_open(builder);
    const auto send_one = [&]() -> asio::awaitable<void> {
        const auto sent = co_await send_on_asio(*mediator, order("k"));
        EXPECT_TRUE(sent) << sent.error().detail;
        if (sent && sent->id == 1) ++answered;
    };

    for (int i = 0; i < 16; ++i) asio::co_spawn(loop, send_one, asio::detached);
    run_until(loop, [&] { return answered == 16; });

    EXPECT_EQ(runs, 1);
    EXPECT_EQ(count(*mediator, "create_order", SendOutcome::executed), 1u);
}

TEST(MediatorOnAsio, AnExceptionOfTheHandlerComesOutUnchanged)
{
    asio::io_context loop;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>([](const CreateOrder&) -> Order {
        throw std::domain_error{"as thrown"};
    });
    const auto mediator = must_open(builder);
    std::exception_ptr thrown;

    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> {
            static_cast<void>(co_await send_on_asio(*mediator, order("k")));
        },
        [&thrown](std::exception_ptr exception) { thrown = std::move(exception); }
    );
    run_until(loop, [&] { return thrown != nullptr; });

    EXPECT_THROW(std::rethrow_exception(thrown), std::domain_error);
}

// A handler that runs until it is told to stop.
Task<Order> until_stopped(
    asio::io_context& loop, HandlerContext& context, bool& has_begun, bool& was_told
)
{
    const std::stop_token stop = context.stop();
    return from_asio<Order>(
        loop.get_executor(),
        [&loop, &has_begun, &was_told, stop]() -> asio::awaitable<Order> {
            asio::steady_timer timer{loop, 1h};
            const std::stop_callback on_stop{stop, [&timer, &loop] {
                                                 asio::post(loop, [&timer] { timer.cancel(); });
                                             }};
            has_begun = true;
            boost::system::error_code ended;
            co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ended));
            was_told = stop.stop_requested();
            co_return Order{4, ""};
        }
    );
}

TEST(MediatorOnAsio, CancellingTheCoroutineTellsTheHandlerAndItsOutcomeCounts)
{
    asio::io_context loop;
    bool has_begun = false;
    bool was_told = false;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>([&](const CreateOrder&, HandlerContext& context) {
        return until_stopped(loop, context, has_begun, was_told);
    });
    const auto mediator = must_open(builder);
    asio::cancellation_signal cancel;
    std::optional<SendResult<CreateOrder>> answer;

    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> { answer = co_await send_on_asio(*mediator, order("k")); },
        asio::bind_cancellation_slot(cancel.slot(), asio::detached)
    );
    run_until(loop, [&] { return has_begun; });
    cancel.emit(asio::cancellation_type::terminal);
    run_until(loop, [&] { return answer.has_value(); });

    EXPECT_TRUE(was_told);
    EXPECT_EQ((*answer)->id, 4);
    EXPECT_EQ(outcome_of(*mediator, order("k")), SendOutcome::hit);
}

TEST(MediatorOnAsio, CancellingAWaitForAnotherSendLeavesNothingBehind)
{
    asio::io_context loop;
    bool has_begun = false;
    bool was_told = false;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>(
        [&](const CreateOrder&, HandlerContext& context) {
            return until_stopped(loop, context, has_begun, was_told);
        },
        {.wait = 1h}
    );
    const auto mediator = must_open(builder);
    std::stop_source let_go;
    std::optional<SendResult<CreateOrder>> first;
    std::optional<SendResult<CreateOrder>> second;
    asio::cancellation_signal cancel;

    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> {
            const SendOptions options{.stop = let_go.get_token()};
            first = co_await send_on_asio(*mediator, order("k"), options);
        },
        asio::detached
    );
    run_until(loop, [&] { return has_begun; });
    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> { second = co_await send_on_asio(*mediator, order("k")); },
        asio::bind_cancellation_slot(cancel.slot(), asio::detached)
    );
    loop.poll();  // it waits now
    EXPECT_FALSE(second);
    cancel.emit(asio::cancellation_type::terminal);
    run_until(loop, [&] { return second.has_value(); });

    EXPECT_EQ(second->error().code, SendErrc::cancelled);
    EXPECT_EQ(second->error().effect, Effect::none);
    let_go.request_stop();
    run_until(loop, [&] { return first.has_value(); });
    EXPECT_EQ((*first)->id, 4);
}

TEST(MediatorOnAsio, WhoeverIsFirstCancelsTheOther)
{
    using namespace asio::experimental::awaitable_operators;
    asio::io_context loop;
    bool has_begun = false;
    bool was_told = false;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>([&](const CreateOrder&, HandlerContext& context) {
        return until_stopped(loop, context, has_begun, was_told);
    });
    const auto mediator = must_open(builder);
    bool is_over = false;

    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> {
            // Whoever is quicker ends the other: this one as soon as the handler runs.
            const auto until_begun = [&]() -> asio::awaitable<void> {
                while (!has_begun) co_await asio::post(loop, asio::use_awaitable);
            };
            co_await (send_on_asio(*mediator, order("k")) || until_begun());
            is_over = true;
        },
        asio::detached
    );
    run_until(loop, [&] { return is_over; });

    EXPECT_TRUE(was_told);
    EXPECT_EQ(outcome_of(*mediator, order("k")), SendOutcome::hit);
}

}  // namespace
}  // namespace umavez::orders
