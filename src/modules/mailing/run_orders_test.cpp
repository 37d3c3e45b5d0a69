// What somebody orders while a mailing is being sent.

#include "modules/mailing/orders.hpp"
#include "modules/mailing/recover.hpp"
#include "modules/mailing/test_process.hpp"

namespace umavez::mailing {
namespace {

using mail::Verdict;

TEST_F(RunTest, APauseInTheMiddleOfABatchAndItsResume)
{
    const std::string uuid = add_mailing({.entries = 8});
    Sink sink{[&](const std::string& to, int) -> mail::Delivered {
        if (to == address(1)) {
            sql("UPDATE mailings SET status = 'PAUSED'");
            clock.advance(2s);  // long enough to be noticed before the batch is over
        }
        return {.verdict = Verdict::accepted};
    }};
    TestProcess process{*database, clock, sink};
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    EXPECT_EQ(sink.all_taken(), 2);
    EXPECT_EQ(status_of(uuid), "PAUSED");
    EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    EXPECT_EQ(count_entries(uuid, "status = 'SENT'"), "2");
    EXPECT_EQ(count_entries(uuid, "status = 'PENDING'"), "6");
    EXPECT_TRUE(is_settled(process.receive(uuid)));  // paused: nothing to do
    sql("UPDATE mailings SET status = 'QUEUED'");
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    expect_each_once(uuid, sink, 8);
}

TEST_F(RunTest, ACancelIsFoundByTheNextMark)
{
    const std::string uuid = add_mailing({.entries = 8});
    Sink sink{[&](const std::string& to, int) -> mail::Delivered {
        if (to == address(1)) sql("UPDATE mailings SET status = 'CANCELLED'");
        return {.verdict = Verdict::accepted};
    }};
    TestProcess process{*database, clock, sink};
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    EXPECT_EQ(sink.all_taken(), 4);  // its batch
    EXPECT_EQ(count_entries(uuid, "status = 'SENT'"), "4");
    EXPECT_EQ(status_of(uuid), "CANCELLED");
    EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    expect_exact_counts(uuid);
}

// However long the mail in hand takes: its owner shows that it is alive until the lock is given back.
TEST_F(RunTest, WhatWasConfirmedAfterAPauseOrACancelIsWrittenHoweverLateItCame)
{
    for (const char* const status : {"PAUSED", "CANCELLED"}) {
        SCOPED_TRACE(status);
        const std::string uuid = add_mailing({.entries = 8});
        std::function<void()> meanwhile;
        Sink sink{[&](const std::string& to, int) -> mail::Delivered {
            if (to == address(1)) meanwhile();
            return {.verdict = Verdict::accepted};
        }};
        TestProcess process{*database, clock, sink};
        meanwhile = [&] {
            sql("UPDATE mailings SET status = '" + std::string{status} + "' WHERE uuid = '" + uuid +
                "'");
            for (int i = 0; i < 12; ++i) {
                clock.advance(10s);
                ASSERT_TRUE(process.parts.held.beat_all());
                const auto recovered = transact<Recovered>([](Transaction& transaction) {
                    return recover(transaction, 30s, 15min, 10);
                });
                ASSERT_TRUE(recovered);
                EXPECT_EQ(recovered->left, 0U);
                EXPECT_EQ(recovered->uncertain, 0);
            }
        };
        EXPECT_TRUE(is_settled(process.receive(uuid)));
        EXPECT_EQ(status_of(uuid), status);
        EXPECT_EQ(count_entries(uuid, "status = 'SENT'"), "2");
        EXPECT_EQ(count_entries(uuid, "status = 'PENDING'"), "6");
        EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "0");
        EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    }
}

TEST_F(RunTest, AResumeWaitsForTheOwnerThatIsStillWriting)
{
    const std::string uuid = add_mailing({.entries = 8});
    std::optional<Duration> second;
    Sink quiet;
    TestProcess other{*database, clock, quiet};
    Sink sink{[&](const std::string& to, int time) -> mail::Delivered {
        if (to == address(1) && time == 1) {
            sql("UPDATE mailings SET status = 'PAUSED'");
            sql("UPDATE mailings SET status = 'QUEUED'");
            second = held_back(other.receive(uuid));
        }
        return {.verdict = Verdict::accepted};
    }};
    TestProcess process{*database, clock, sink};
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    EXPECT_EQ(second, 1s);  // not settled: it is the wake-up of the resume
    EXPECT_EQ(quiet.all_taken(), 0);
    EXPECT_EQ(status_of(uuid), "QUEUED");
    work_to_the_end(uuid, sink);
    expect_each_once(uuid, sink, 8);
}

TEST_F(RunTest, OnlyWhatFailedIsSentAgain)
{
    const std::string uuid = add_mailing({.entries = 4});
    Sink sink{[](const std::string& to, int time) -> mail::Delivered {
        const bool fails = to == address(2) && time == 1;
        return {.verdict = fails ? Verdict::refused : Verdict::accepted};
    }};
    work_to_the_end(uuid, sink);
    EXPECT_EQ(ask_mailing("failed", uuid), "1");
    sql("UPDATE mailing_entries SET status = 'PENDING', attempts = 0 WHERE status = 'FAILED'");
    sql("UPDATE mailings SET status = 'QUEUED', failed = 0");
    work_to_the_end(uuid, sink);
    expect_each_once(uuid, sink, 4);
}

TEST_F(RunTest, ManyThatFailedAreOpenedInStepsByTheWorker)
{
    constexpr int entries = 2500;
    const std::string uuid = add_mailing({.status = Status::completed, .entries = entries});
    sql("UPDATE mailing_entries SET status = 'FAILED', attempts = 1");
    sql("UPDATE mailing_entries SET status = 'UNKNOWN' WHERE email = '" + address(7) + "'");
    sql("UPDATE mailings SET failed = 2499, unknown = 1");
    const auto order = [&](bool incertas) {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto ordered = run_order(
                transaction,
                {.tenant_id = tenant,
                 .uuid = uuid,
                 .order = Order::reenviar_falhas,
                 .incertas = incertas},
                {}
            );
            if (!ordered) return std::unexpected(ordered.error());
            EXPECT_TRUE(ordered->has_value());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    };
    order(false);
    EXPECT_EQ(status_of(uuid), "QUEUED");
    EXPECT_EQ(wake_ups(uuid), "1");
    EXPECT_EQ(count_entries(uuid, "status = 'FAILED'"), "2499");  // not in the order's transaction

    Sink sink;
    TestProcess process{*database, clock, sink};
    process.parts.rules.batch = 500;
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    EXPECT_EQ(sink.all_taken(), entries - 1);
    EXPECT_EQ(status_of(uuid), "COMPLETED");
    EXPECT_EQ(ask_mailing("reopens", uuid), "0");
    EXPECT_EQ(entry(uuid, 7, "status"), "UNKNOWN");
    expect_exact_counts(uuid);

    order(true);  // few: at once
    EXPECT_EQ(entry(uuid, 7, "status"), "PENDING");
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    expect_each_once(uuid, sink, entries);
}

TEST_F(RunTest, ASuppressionThatComesWhileItIsSentIsRespected)
{
    const std::string uuid = add_mailing({.entries = 8});
    Sink sink{[&](const std::string& to, int) -> mail::Delivered {
        if (to == address(0)) {
            sql("INSERT INTO mailing_suppressions (tenant_id, email, reason, created_at) VALUES "
                "('default', '" +
                address(6) + "', 'asked', 1)");
        }
        return {.verdict = Verdict::accepted};
    }};
    work_to_the_end(uuid, sink);
    EXPECT_EQ(sink.offered(address(6)), 0);
    EXPECT_EQ(entry(uuid, 6, "status || error"), "FAILEDsuprimido");
    EXPECT_EQ(ask_mailing("sent", uuid), "7");
    expect_exact_counts(uuid);
}

}  // namespace
}  // namespace umavez::mailing
