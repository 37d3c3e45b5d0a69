// Many threads, one key; cancellation while somebody else runs.

#include "base/fault_point.hpp"
#include "mediator/orders.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <future>
#include <thread>

namespace umavez::orders {
namespace {

constexpr int senders = 64;

// A handler that runs until it is let go.
struct Gate {
    std::promise<void> entered;
    std::promise<void> opened;
    std::shared_future<void> open{opened.get_future()};

    void wait_inside()
    {
        entered.set_value();
        static_cast<void>(test::is_met("the gate is opened", open));
    }
    void wait_until_entered() { test::wait_for("the handler runs", entered.get_future()); }
};

// Until the story of the key "k" tells of it.
void wait_for_event(Mediator& mediator, std::string_view event)
{
    const RecordId id{
        *TenantId::parse("default"), *Operation::parse("create_order"), *Key::parse("k")
    };
    test::wait_until("the story tells of " + std::string{event}, [&] {
        const auto timeline = must(mediator.engine().explain(id)).timeline;
        return std::ranges::find(timeline, event, &TimelineEntry::event) != timeline.end();
    });
}

// Longer than any stall.
const CommandOptions patient{.wait = 1h};

TEST(MediatorConcurrent, OfSixtyFourSendersOneRunsAndAllGetItsResult)
{
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> runs{0};
        MediatorBuilder builder;
        builder.memory_cache();
        builder.handle<CreateOrder>(
            [&runs](const CreateOrder&) { return Order{++runs, ""}; }, patient
        );
        const auto mediator = must_open(builder);
        std::barrier start{senders};
        std::atomic<int> answered{0};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < senders; ++i) {
                threads.emplace_back([&] {
                    start.arrive_and_wait();
                    const auto sent = mediator->send(order("k"));
                    if (sent && sent->id == 1) ++answered;
                });
            }
        }
        ASSERT_EQ(answered, senders);
        ASSERT_EQ(runs, 1);
        const std::uint64_t executed = count(*mediator, "create_order", SendOutcome::executed);
        const std::uint64_t hits = count(*mediator, "create_order", SendOutcome::hit) +
                                   count(*mediator, "create_order", SendOutcome::hit_after_wait);
        EXPECT_EQ(executed, 1u);
        EXPECT_EQ(hits, std::uint64_t{senders} - 1);
    }
}

TEST(MediatorConcurrent, WhoWaitsIsCountedApartAndGetsTheResult)
{
    Gate gate;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>(
        [&gate](const CreateOrder&) {
            gate.wait_inside();
            return Order{1, ""};
        },
        patient
    );
    const auto mediator = must_open(builder);
    auto first = std::async(std::launch::async, [&] { return mediator->send(order("k"))->id; });
    gate.wait_until_entered();
    auto second = std::async(std::launch::async, [&] { return outcome_of(*mediator, order("k")); });
    wait_for_event(*mediator, "in_progress");
    gate.opened.set_value();

    EXPECT_EQ(first.get(), 1);
    EXPECT_EQ(second.get(), SendOutcome::hit_after_wait);
    EXPECT_EQ(count(*mediator, "create_order", SendOutcome::hit_after_wait), 1u);
}

TEST(MediatorConcurrent, WhoDoesNotWaitIsToldThatItIsInProgress)
{
    Gate gate;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>(
        [&gate](const CreateOrder&) {
            gate.wait_inside();
            return Order{1, ""};
        },
        {.on_duplicate = OnDuplicate::conflict}
    );
    const auto mediator = must_open(builder);
    auto first = std::async(std::launch::async, [&] { return mediator->send(order("k"))->id; });
    gate.wait_until_entered();

    const auto second = mediator->send(order("k"));
    const auto third = mediator->send(order("k"), {.wait = 1ms});

    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, SendErrc::in_progress);
    EXPECT_EQ(second.error().effect, Effect::none);
    EXPECT_GT(second.error().retry_after.value_or(0s), 0s);
    EXPECT_EQ(third.error().code, SendErrc::in_progress);
    gate.opened.set_value();
    EXPECT_EQ(first.get(), 1);
    EXPECT_EQ(count(*mediator, "create_order", SendOutcome::conflict), 2u);
}

TEST(Cancellation, BeforeItBeginsNothingIsClaimed)
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>([&runs](const CreateOrder&) { return Order{++runs, ""}; });
    const auto mediator = must_open(builder);
    std::stop_source stop;
    stop.request_stop();

    const auto sent = mediator->send(order("k"), {.stop = stop.get_token()});

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, SendErrc::cancelled);
    EXPECT_EQ(sent.error().effect, Effect::none);
    EXPECT_EQ(runs, 0);
    EXPECT_TRUE(must(mediator->engine().records({})).records.empty());
    EXPECT_EQ(count(*mediator, "create_order", SendOutcome::cancelled), 1u);
}

// Stops a send at the moment its claim is written.
class StopAfterClaim final : public FaultHook {
public:
    StopAfterClaim() { fault_hook = this; }
    ~StopAfterClaim() override { fault_hook = nullptr; }
    void strike(FaultPoint) override {}
    bool ends(FaultPoint point, Scheduler&) override
    {
        if (point == FaultPoint::claim_after_write) stop.request_stop();
        return false;
    }

    std::stop_source stop;
};

TEST(Cancellation, BetweenClaimAndHandlerTheClaimIsGivenBack)
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>([&runs](const CreateOrder&) { return Order{++runs, ""}; });
    const auto mediator = must_open(builder);
    {
        StopAfterClaim hook;
        const auto sent = mediator->send(order("k"), {.stop = hook.stop.get_token()});
        EXPECT_EQ(sent.error().code, SendErrc::cancelled);
        EXPECT_EQ(sent.error().effect, Effect::none);
    }
    EXPECT_EQ(runs, 0);
    wait_for_event(*mediator, "claimed");
    wait_for_event(*mediator, "released");
    EXPECT_EQ(mediator->send(order("k"))->id, 1);
}

TEST(Cancellation, WhoWaitsForAnotherStopsWaitingAtOnce)
{
    Gate gate;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>(
        [&gate](const CreateOrder&) {
            gate.wait_inside();
            return Order{1, ""};
        },
        {.wait = 1h}
    );
    const auto mediator = must_open(builder);
    auto first = std::async(std::launch::async, [&] { return mediator->send(order("k"))->id; });
    gate.wait_until_entered();
    std::stop_source stop;
    auto second = std::async(std::launch::async, [&] {
        return mediator->send(order("k"), {.stop = stop.get_token()}).error().code;
    });
    wait_for_event(*mediator, "in_progress");

    stop.request_stop();

    EXPECT_EQ(test::wait_for("the second stops waiting", std::move(second)), SendErrc::cancelled);
    gate.opened.set_value();
    EXPECT_EQ(first.get(), 1);
}

TEST(Cancellation, ARunningHandlerIsToldAndItsOutcomeCounts)
{
    std::stop_source stop;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>([&stop](const CreateOrder&, HandlerContext& context) {
        const std::stop_token told = context.stop();
        EXPECT_FALSE(told.stop_requested());
        stop.request_stop();
        EXPECT_TRUE(told.stop_requested());
        return Order{9, ""};
    });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(order("k"), {.stop = stop.get_token()})->id, 9);
    EXPECT_EQ(outcome_of(*mediator, order("k")), SendOutcome::hit);
}

TEST(Lease, AHandlerThatLostItIsToldAndTheNewOwnersResultIsGivenToBoth)
{
    // The heartbeat stops at run_limit; one lease later the key may be taken.
    Gate gate;
    std::atomic<int> runs{0};
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>(
        [&](const CreateOrder&, HandlerContext& context) {
            if (++runs == 2) return Order{2, ""};
            std::promise<void> lost;
            const std::stop_callback on_lost{context.stop(), [&lost] { lost.set_value(); }};
            gate.entered.set_value();
            static_cast<void>(test::is_met("the lease is lost", lost.get_future()));
            static_cast<void>(test::is_met("the gate is opened", gate.open));
            return Order{1, ""};
        },
        {.lease = 2s, .wait = 1h, .run_limit = 2s}
    );
    const auto mediator = must_open(builder);
    auto first =
        std::async(std::launch::async, [&] { return send_patiently(*mediator, order("k")); });
    gate.wait_until_entered();

    EXPECT_EQ(send_patiently(*mediator, order("k"))->id, 2);
    gate.opened.set_value();

    const auto late = first.get();
    ASSERT_TRUE(late) << late.error().detail;
    EXPECT_EQ(late->id, 2);
    EXPECT_GE(mediator->stats()[0].takeovers, 1u);  // a claim that came late is one, too
}

}  // namespace
}  // namespace umavez::orders
