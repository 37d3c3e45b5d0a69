// A holder that stands still past its takeover and the taker's completion, and then goes on (L-07).
//
// One process owns an SQLite file, so holder and taker are two threads of it. Heartbeats keep a
// thread's lease alive however long it stands, so its end is written into the record: the next
// heartbeat is refused.

#include "support/patiently.hpp"
#include "temporary_directory.hpp"

#include <umavez/engine.hpp>

#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <thread>

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;

// Whoever claims has so long: a disk that stands still for a moment is no reason to be taken over.
// A third of it is what the holder waits until it knows.
constexpr auto lease_length = 9s;

class FencedTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        auto database = open_database("sqlite:" + directory_.path() + "/crash.db");
        ASSERT_TRUE(database) << database.error().detail;
        database_ = *std::move(database);
        auto engine = open_engine(*database_, {.worker_period = std::nullopt});
        ASSERT_TRUE(engine) << engine.error().detail;
        engine_ = *std::move(engine);
        OperationSpec spec{
            .name = "boletos.emitir",
            .policy =
                {.guarantee = Guarantee::leased,
                 .lease = lease_length,
                 .run_limit = lease_length,
                 .on_abandoned = OnAbandoned::rerun,
                 .effect = RepeatedEffect::deduplicated},
        };
        ASSERT_TRUE(engine_->declare(std::move(spec)));
        ASSERT_TRUE(engine_->start());
        ASSERT_TRUE(execute("CREATE TABLE boletos (nonce TEXT NOT NULL) STRICT"));
    }

    Result<void> execute(const std::string& sql)
    {
        const Closure run = [&sql](Transaction& transaction) -> Result<void> {
            const auto done = transaction.execute(sql);
            if (!done) return std::unexpected(done.error());
            return {};
        };
        return test::patiently(sql, [&] { return database_->transact(run); });
    }

    static Request request()
    {
        return {
            .tenant_id = *TenantId::parse("acme"),
            .operation = *Operation::parse("boletos.emitir"),
            .key = *Key::parse("boleto-1"),
            .target = make_target({"boletos.emitir"}),
            .fingerprint = fingerprint_bytes("text/plain", "boleto"),
            .wait = 50ms,
        };
    }

    // Starts the holder and returns when it stands in its handler; `late` runs when it may go on.
    std::future<Result<Outcome>> start_holder(std::function<Response(Lease&)> late)
    {
        auto holder = std::async(std::launch::async, [this, late = std::move(late)] {
            return engine_->leased(request(), [&](Lease& lease) {
                entered_.set_value();
                static_cast<void>(test::is_met("the holder may go on", go_on_future_));
                std::promise<void> lost;
                const std::stop_callback on_lost{lease.lost(), [&lost] { lost.set_value(); }};
                static_cast<void>(test::is_met("the holder's lease is lost", lost.get_future()));
                return late(lease);
            });
        });
        test::wait_for("the holder stands in its handler", entered_.get_future());
        return holder;
    }

    // Retries until the key is taken over and completed.
    void take_over()
    {
        Result<Outcome> outcome = InProgress{};
        test::wait_until("the key is taken over", [&] {
            // Again each time: a heartbeat may have come between.
            EXPECT_TRUE(execute("UPDATE umavez_records SET processing_expires_at = 1"));
            outcome = engine_->leased(request(), [](Lease& lease) {
                EXPECT_GE(lease.attempts(), 2u);
                return Response{.body = "taker"};
            });
            return !outcome || !std::holds_alternative<InProgress>(*outcome);
        });
        ASSERT_TRUE(outcome) << outcome.error().detail;
        ASSERT_TRUE(std::holds_alternative<Executed>(*outcome)) << to_text(*outcome);
    }

    void expect_taker_stands(const Result<Outcome>& told_to_holder)
    {
        ASSERT_TRUE(told_to_holder) << told_to_holder.error().detail;
        const auto* const replayed = std::get_if<Replayed>(&*told_to_holder);
        ASSERT_NE(replayed, nullptr) << to_text(*told_to_holder);
        EXPECT_EQ(replayed->response.body, "taker");

        const auto again =
            engine_->leased(request(), [](Lease&) { return Response{.status = 500}; });
        ASSERT_TRUE(again && std::holds_alternative<Replayed>(*again));
        EXPECT_EQ(std::get<Replayed>(*again).response.body, "taker");
        const OperationStats stats = engine_->stats().front();
        EXPECT_GE(stats.takeovers, 1u);
        EXPECT_GE(stats.fenced, 1u);
        EXPECT_GE(stats.leases_lost, 1u);
    }

    TemporaryDirectory directory_;
    std::unique_ptr<Database> database_;
    std::unique_ptr<Engine> engine_;
    std::promise<void> entered_;
    std::promise<void> go_on_;
    std::future<void> go_on_future_ = go_on_.get_future();
};

TEST_F(FencedTest, HolderThatStoodBeyondTakeoverIsRefusedAndToldTheTruth)
{
    auto holder = start_holder([](Lease&) { return Response{.body = "holder"}; });

    ASSERT_NO_FATAL_FAILURE(take_over());
    go_on_.set_value();

    expect_taker_stands(holder.get());
}

TEST_F(FencedTest, RowsOfAHolderThatStoodBeyondTakeoverRollBack)
{
    auto holder = start_holder([this](Lease& lease) {
        const Closure write = [&](Transaction& transaction) -> Result<void> {
            const Values nonce{std::string{"holder"}};
            const auto made = transaction.execute("INSERT INTO boletos (nonce) VALUES ($1)", nonce);
            if (!made) return std::unexpected(made.error());
            return lease.finish(transaction, Response{.body = "holder"});
        };
        const auto written =
            test::patiently("the holder writes", [&] { return database_->transact(write); });
        EXPECT_TRUE(!written && written.error().code == Errc::lease_lost);
        return Response{.body = "holder"};
    });

    ASSERT_NO_FATAL_FAILURE(take_over());
    go_on_.set_value();
    const Result<Outcome> told = holder.get();

    std::int64_t rows = -1;
    ASSERT_TRUE(database_->read([&](Transaction& transaction) -> Result<void> {
        auto counted = transaction.query("SELECT count(*) FROM boletos");
        if (!counted) return std::unexpected(counted.error());
        rows = counted->front().integer(0);
        return {};
    }));
    EXPECT_EQ(rows, 0);
    ASSERT_TRUE(told && std::holds_alternative<Replayed>(*told));
    EXPECT_EQ(std::get<Replayed>(*told).response.body, "taker");
}

}  // namespace
}  // namespace umavez::crash
