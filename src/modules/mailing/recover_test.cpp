// The recovery scan, alone and beside others.

#include "modules/mailing/recover.hpp"

#include "modules/mailing/ledger.hpp"
#include "modules/mailing/test_depot.hpp"

namespace umavez::mailing {
namespace {

using RecoverTest = Depot;

TEST_F(RecoverTest, Teste4CrashRecovery)
{
    const std::string uuid = add_mailing({.status = Status::processing});
    sql("UPDATE mailings SET last_attempt = " + std::to_string(to_micros(clock.realtime() - 60s)));

    const auto recovered = transact<Recovered>([](Transaction& transaction) {
        return recover(transaction, 30s, 15min, 10);
    });

    ASSERT_TRUE(recovered) << recovered.error().detail;
    EXPECT_EQ(recovered->stale, std::vector{uuid});
    EXPECT_EQ(status_of(uuid), "PENDING");
    EXPECT_EQ(ask_mailing("last_attempt", uuid), "");
    EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    EXPECT_EQ(wake_ups(uuid), "1");
}

TEST_F(RecoverTest, ADeadOwnerOfACancelledMailingIsTakenOff)
{
    const std::string uuid = add_mailing({.entries = 2});
    const Owner owner = must_lock(uuid, "a").owner;
    ASSERT_TRUE(transact<Marked>([&](Transaction& transaction) {
        return advance(transaction, owner, {.batch = 1});
    }));
    sql("UPDATE mailings SET status = 'CANCELLED'");
    clock.advance(31s);
    const auto recovered = transact<Recovered>([](Transaction& transaction) {
        return recover(transaction, 30s, 15min, 10);
    });
    ASSERT_TRUE(recovered);
    EXPECT_EQ(recovered->left, 1U);
    EXPECT_EQ(status_of(uuid), "CANCELLED");
    EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    EXPECT_EQ(wake_ups(uuid), "0");
    EXPECT_EQ(count_entries(uuid, "status = 'UNKNOWN'"), "1");
    expect_exact_counts(uuid);
}

TEST_F(RecoverTest, ForgottenMailingsGetOneWakeUp)
{
    const std::string queued = add_mailing();
    const std::string pending = add_mailing({.status = Status::pending});
    add_mailing({.status = Status::draft});
    const auto scan = [&] {
        return transact<Recovered>([](Transaction& transaction) {
            return recover(transaction, 30s, 15min, 10);
        });
    };
    EXPECT_EQ(scan()->woken, 0U);  // they have just been written
    clock.advance(16min);
    EXPECT_EQ(scan()->woken, 2U);
    clock.advance(16min);
    EXPECT_EQ(scan()->woken, 0U);  // theirs are still on their way
    EXPECT_EQ(wake_ups(queued), "1");
    EXPECT_EQ(wake_ups(pending), "1");
}

TEST_F(RecoverTest, AScanIsBoundedAndSaysThatThereIsMore)
{
    for (int i = 0; i < 5; ++i) must_lock(add_mailing(), "dead");
    clock.advance(31s);
    std::size_t stale = 0;
    int scans = 0;
    for (bool has_more = true; has_more; ++scans) {
        const auto recovered = transact<Recovered>([](Transaction& transaction) {
            return recover(transaction, 30s, 15min, 2);
        });
        ASSERT_TRUE(recovered);
        EXPECT_LE(recovered->stale.size(), 2U);
        stale += recovered->stale.size();
        has_more = recovered->has_more;
    }
    EXPECT_EQ(stale, 5U);
    EXPECT_EQ(scans, 3);
}

TEST_F(RecoverTest, OfManyScansAtOnceOneWritesTheWakeUp)
{
    const std::string uuid = add_mailing();
    must_lock(uuid, "dead");
    clock.advance(31s);
    std::atomic<std::size_t> stale = 0;
    std::atomic<bool> go = false;
    {
        std::vector<std::jthread> scans;
        for (int i = 0; i < 6; ++i) {
            scans.emplace_back([&] {
                go.wait(false);
                const auto recovered = transact<Recovered>([](Transaction& transaction) {
                    return recover(transaction, 30s, 15min, 10);
                });
                EXPECT_TRUE(recovered) << recovered.error().detail;
                stale += recovered->stale.size();
            });
        }
        go = true;
        go.notify_all();
    }
    EXPECT_EQ(stale, 1U);
    EXPECT_EQ(wake_ups(uuid), "1");
}

TEST_F(RecoverTest, ALockBeforeAScan)
{
    const std::string uuid = add_mailing();
    must_lock(uuid, "dead");
    clock.advance(31s);
    std::atomic<bool> is_locked = false;
    std::atomic<bool> may_end = !is_postgres();
    std::jthread owner{[&] {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto got = mailing::try_lock(transaction, tenant, uuid, "b", 30s);
            is_locked = true;
            is_locked.notify_all();
            may_end.wait(false);
            EXPECT_TRUE(got && std::holds_alternative<Locked>(*got));
            return {};
        });
        EXPECT_TRUE(done);
    }};
    is_locked.wait(false);
    const auto recovered = transact<Recovered>([](Transaction& transaction) {
        return recover(transaction, 30s, 15min, 10);
    });
    may_end = true;
    may_end.notify_all();
    owner.join();
    ASSERT_TRUE(recovered);
    EXPECT_EQ(recovered->changed(), 0U);
    EXPECT_EQ(ask_mailing("lock_token", uuid), "b");
    EXPECT_EQ(wake_ups(uuid), "0");
}

}  // namespace
}  // namespace umavez::mailing
