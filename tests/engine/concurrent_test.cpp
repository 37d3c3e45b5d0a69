// Many threads, one key: one effect. Runs under the thread sanitizer too.

#include "shop.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <thread>
#include <vector>

namespace umavez::shop {
namespace {

template <typename Run>
void in_parallel(int threads, const Run& run)
{
    std::latch ready{threads};
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
            ready.arrive_and_wait();
            run(i);
        });
    }
}

TEST(Concurrent, TwoHundredIdenticalAtomicRequestsLeaveOneRow)
{
    Shop shop;
    OperationSpec spec{.name = "pedidos.criar", .policy = {.guarantee = Guarantee::atomic}};
    shop.declare(std::move(spec));
    shop.start();
    std::atomic<int> executed = 0;
    std::atomic<int> replayed = 0;

    in_parallel(40, [&](int) {
        for (int i = 0; i < 5; ++i) {
            const auto outcome =
                shop.engine->atomically(request("pedidos.criar", "k1"), inserting("a"));
            ASSERT_TRUE(outcome);
            if (std::holds_alternative<Executed>(*outcome)) ++executed;
            if (const auto* const again = std::get_if<Replayed>(&*outcome)) {
                ++replayed;
                EXPECT_EQ(again->response.body, "made a");
            }
        }
    });

    EXPECT_EQ(executed, 1);
    EXPECT_EQ(replayed, 199);
    EXPECT_EQ(shop.count(), 1);
}

TEST(Concurrent, AnAtomicWinnerThatRollsBackLetsTheNextOneRun)
{
    Shop shop;
    OperationSpec spec{.name = "pedidos.criar", .policy = {.guarantee = Guarantee::atomic}};
    shop.declare(std::move(spec));
    shop.start();
    std::atomic<int> attempts = 0;
    std::atomic<int> kept = 0;

    in_parallel(20, [&](int) {
        const AtomicHandler often_fails = [&](Transaction& transaction) -> Result<Response> {
            const int status = ++attempts < 10 ? 503 : 201;
            return inserting("a", status)(transaction);
        };
        const auto outcome = shop.engine->atomically(request("pedidos.criar", "k1"), often_fails);
        ASSERT_TRUE(outcome);
        const auto* const executed = std::get_if<Executed>(&*outcome);
        if (executed != nullptr && executed->kept) ++kept;
    });

    EXPECT_EQ(kept, 1);
    EXPECT_EQ(shop.count(), 1);
}

TEST(Concurrent, ManyKeysShareCommitsAndKeepApart)
{
    Shop shop;
    shop.declare({.name = "pedidos.criar", .policy = {.guarantee = Guarantee::atomic}});
    shop.start();
    // Until some wait for it the lane is held: they share a commit, however slowly they come.
    std::promise<void> held;
    std::jthread holder;
    if (shop.database->dialect() == Dialect::sqlite) {
        holder = std::jthread{[&] {
            static_cast<void>(shop.database->transact([&](Transaction&) -> Result<void> {
                held.set_value();
                const auto is_awaited = [&] {
                    return shop.database->lane_stats().queue_length > 1;
                };
                static_cast<void>(test::is_met("two requests wait for the lane", is_awaited));
                return {};
            }));
        }};
        test::wait_for("the lane is held", held.get_future());
    }

    in_parallel(16, [&](int thread) {
        for (int i = 0; i < 25; ++i) {
            const std::string name = std::to_string(thread) + "-" + std::to_string(i);
            get<Executed>(shop.engine->atomically(request("pedidos.criar", name), inserting(name)));
        }
    });

    EXPECT_EQ(shop.count(), 400);
    const LaneStats lane = shop.database->lane_stats();
    EXPECT_TRUE(lane.batches < lane.members || shop.database->dialect() != Dialect::sqlite);
}

TEST(Concurrent, LeasedDuplicatesWaitForTheFirstAndGetItsAnswer)
{
    Shop shop;
    Policy policy{.guarantee = Guarantee::leased};
    policy.on_duplicate = OnDuplicate::wait;
    shop.declare({.name = "enviar", .policy = policy});
    shop.start();
    std::atomic<int> effects = 0;

    in_parallel(32, [&](int) {
        const auto outcome = shop.engine->leased(request("enviar", "k1"), [&](Lease&) {
            ++effects;
            return Response{.status = 202, .headers = {}, .body = "sent"};
        });
        ASSERT_TRUE(outcome);
        if (const auto* const again = std::get_if<Replayed>(&*outcome)) {
            EXPECT_EQ(again->response.body, "sent");
        } else {
            EXPECT_TRUE(std::holds_alternative<Executed>(*outcome)) << to_text(*outcome);
        }
    });

    EXPECT_EQ(effects, 1);
}

TEST(Concurrent, RejectedDuplicatesNeverTouchTheOwnersRecord)
{
    Shop shop;
    // So long that no heartbeat changes the record meanwhile.
    const Policy policy{.guarantee = Guarantee::leased, .lease = 1h, .run_limit = 1h};
    shop.declare({.name = "enviar", .policy = policy});
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    Lease owner = std::move(std::get<Lease>(*begun));
    const RecordId id = owner.id();
    const Record before = *shop.engine->explain(id)->record;

    in_parallel(10, [&](int thread) {
        for (int i = 0; i < 5; ++i) {
            const std::string body = thread % 2 == 0 ? "{}" : R"({"other":1})";
            const auto outcome = shop.engine->leased(request("enviar", "k1", body), [](Lease&) {
                ADD_FAILURE() << "ran twice";
                return Response{};
            });
            ASSERT_TRUE(outcome);
            EXPECT_EQ(to_text(*outcome), thread % 2 == 0 ? "in_progress" : "mismatch");
        }
    });

    EXPECT_EQ(*shop.engine->explain(id)->record, before);
    EXPECT_TRUE(owner.finish(Response{.status = 200}));
}

TEST(Concurrent, HeartbeatsCarryManyLeasesPastTheirLength)
{
    Shop shop;
    // A heartbeat comes after a third of it, and may be late by nearly two thirds.
    Policy policy{.guarantee = Guarantee::leased, .lease = 15s};
    policy.on_abandoned = OnAbandoned::rerun;
    policy.effect = RepeatedEffect::harmless;
    shop.declare({.name = "enviar", .policy = policy});
    shop.start();

    in_parallel(4, [&](int thread) {
        const std::string key = std::to_string(thread);
        auto begun = shop.engine->begin(request("enviar", key));
        Lease lease = std::move(std::get<Lease>(*begun));
        const Instant claimed_until =
            *shop.engine->explain(lease.id())->record->processing_expires_at;
        // Until a heartbeat was written: the store's own time says so, not ours.
        EXPECT_TRUE(test::is_met("a heartbeat is written", [&] {
            const auto story = shop.engine->explain(lease.id());
            return story && *story->record->processing_expires_at > claimed_until;
        }));
        EXPECT_FALSE(lease.lost().stop_requested());
        EXPECT_TRUE(lease.finish(Response{.status = 200}));
    });

    EXPECT_EQ(shop.engine->stats().front().leases_lost, 0u);
}

TEST(Concurrent, TheMemoryEngineRunsEachKeyOnce)
{
    auto engine = *open_memory_engine();
    ASSERT_TRUE(engine->declare({.name = "cache", .policy = {.guarantee = Guarantee::cached}}));
    ASSERT_TRUE(engine->start());
    std::atomic<int> effects = 0;

    in_parallel(8, [&](int) {
        for (int i = 0; i < 200; ++i) {
            const auto outcome = engine->leased(request("cache", std::to_string(i)), [&](Lease&) {
                ++effects;
                return Response{.status = 200};
            });
            ASSERT_TRUE(outcome);
        }
    });

    EXPECT_EQ(effects, 200);
}

}  // namespace
}  // namespace umavez::shop
