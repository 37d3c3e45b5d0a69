// A holder that stands still past its takeover and the taker's completion, and then goes on (L-07).
//
// One process owns an SQLite file, so holder and taker are two threads of it. Heartbeats would keep
// a thread's lease alive however long it stands, so run_limit ends them.

#include "temporary_directory.hpp"

#include <umavez/engine.hpp>

#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <thread>

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;

constexpr auto wait_limit = 60s;
// Whoever claims has so long: a disk that stands still for a moment is no reason to be taken over.
constexpr auto lease_length = 4s;

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
        ASSERT_TRUE(database_->transact([](Transaction& transaction) -> Result<void> {
            const auto made =
                transaction.execute("CREATE TABLE boletos (nonce TEXT NOT NULL) STRICT");
            if (!made) return std::unexpected(made.error());
            return {};
        }));
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
                EXPECT_EQ(go_on_future_.wait_for(wait_limit), std::future_status::ready);
                std::promise<void> lost;
                const std::stop_callback on_lost{lease.lost(), [&lost] { lost.set_value(); }};
                EXPECT_EQ(lost.get_future().wait_for(wait_limit), std::future_status::ready);
                return late(lease);
            });
        });
        EXPECT_EQ(entered_.get_future().wait_for(wait_limit), std::future_status::ready);
        return holder;
    }

    // Retries until the key is taken over and completed.
    void take_over()
    {
        const Duration until = system_clock().boottime() + wait_limit;
        Result<Outcome> outcome = InProgress{};
        while (outcome && std::holds_alternative<InProgress>(*outcome)) {
            ASSERT_LT(system_clock().boottime(), until);
            outcome = engine_->leased(request(), [](Lease& lease) {
                EXPECT_EQ(lease.attempts(), 2u);
                return Response{.body = "taker"};
            });
        }
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
        EXPECT_EQ(stats.takeovers, 1u);
        EXPECT_EQ(stats.fenced, 1u);
        EXPECT_EQ(stats.leases_lost, 1u);
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
        const auto written = database_->transact([&](Transaction& transaction) -> Result<void> {
            const Values nonce{std::string{"holder"}};
            const auto made = transaction.execute("INSERT INTO boletos (nonce) VALUES ($1)", nonce);
            if (!made) return std::unexpected(made.error());
            return lease.finish(transaction, Response{.body = "holder"});
        });
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
