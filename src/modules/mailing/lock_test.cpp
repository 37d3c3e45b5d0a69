// The lock: who gets it, who keeps it, and what is settled when it is taken away.

#include "modules/mailing/held_locks.hpp"
#include "modules/mailing/ledger.hpp"
#include "modules/mailing/test_depot.hpp"

namespace umavez::mailing {
namespace {

using LockTest = Depot;

TEST_F(LockTest, Teste3ConcurrentProcessing)
{
    for (int i = 0; i < 20; ++i) {
        const std::string uuid = add_mailing({.status = Status::pending});
        std::atomic<bool> go = false;
        std::atomic<int> successes = 0;
        {
            std::vector<std::jthread> workers;
            for (int worker = 0; worker < 2; ++worker) {
                workers.emplace_back([&, worker] {
                    go.wait(false);
                    const auto got = lock(uuid, "worker-" + std::to_string(worker));
                    EXPECT_TRUE(got) << got.error().detail;
                    if (std::holds_alternative<Locked>(*got)) ++successes;
                });
            }
            go = true;
            go.notify_all();
        }
        EXPECT_EQ(successes, 1);
        EXPECT_EQ(status_of(uuid), "PROCESSING");
    }
}

TEST_F(LockTest, TheLockLeadsToIngestionUntilEveryRowIsIn)
{
    const std::string fresh = add_mailing({.is_ingested = false});
    EXPECT_EQ(must_lock(fresh, "a").mailing.status, Status::ingesting);
    EXPECT_EQ(must_lock(add_mailing(), "a").mailing.status, Status::processing);
}

TEST_F(LockTest, WhatIsOverPausedOrADraftIsNothingToDo)
{
    for (const Status status :
         {Status::draft, Status::paused, Status::completed, Status::cancelled}) {
        const auto got = lock(add_mailing({.status = status}), "a");
        ASSERT_TRUE(got);
        ASSERT_TRUE(std::holds_alternative<NothingToDo>(*got)) << to_text(status);
        EXPECT_EQ(std::get<NothingToDo>(*got).status, status);
    }
    const auto absent = lock("01890a5d-ac96-774b-bcce-b302099a8057", "a");
    ASSERT_TRUE(absent);
    EXPECT_FALSE(std::get<NothingToDo>(*absent).status);
}

TEST_F(LockTest, AnotherTenantsMailingIsNotThere)
{
    const std::string uuid = add_mailing();
    const auto got = transact<Locking>([&](Transaction& transaction) {
        return mailing::try_lock(transaction, *TenantId::parse("other"), uuid, "a", 30s);
    });
    ASSERT_TRUE(got);
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(*got));
}

TEST_F(LockTest, AFailedMailingCanBeLockedAgain)
{
    const std::string uuid = add_mailing({.status = Status::failed});
    sql("UPDATE mailings SET error = 'why'");
    EXPECT_FALSE(must_lock(uuid, "a").mailing.error);
}

TEST_F(LockTest, AStaleLockIsTakenAndAFreshOneIsNot)
{
    const std::string uuid = add_mailing();
    const Owner first = must_lock(uuid, "a").owner;
    clock.advance(29s);
    ASSERT_TRUE(std::holds_alternative<HeldByOther>(*lock(uuid, "b")));
    const auto beaten = transact<std::vector<std::string>>([&](Transaction& transaction) {
        return beat(transaction, {first});
    });
    ASSERT_TRUE(beaten);
    EXPECT_TRUE(beaten->empty());
    clock.advance(29s);
    ASSERT_TRUE(std::holds_alternative<HeldByOther>(*lock(uuid, "b")));
    clock.advance(2s);
    must_lock(uuid, "b");

    const auto kept = transact<bool>([&](Transaction& transaction) -> Result<bool> {
        const auto done = keep_lock(transaction, first, Status::processing);
        if (!done) return std::unexpected(done.error());
        return true;
    });
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, Errc::lease_lost);
    const auto lost = transact<std::vector<std::string>>([&](Transaction& transaction) {
        return beat(transaction, {first});
    });
    EXPECT_EQ(*lost, std::vector{first.token});
    const auto released = transact<bool>([&](Transaction& transaction) {
        return release_lock(transaction, first, Status::completed, std::nullopt);
    });
    EXPECT_FALSE(*released);
    EXPECT_EQ(ask_mailing("lock_token", uuid), "b");
    EXPECT_EQ(status_of(uuid), "PROCESSING");
}

// One thread slept past its lock, and another of the same process has it now.
TEST_F(LockTest, ALossOfOneOwnerIsNotTheLossOfAnotherOfTheSameMailing)
{
    const std::string uuid = add_mailing();
    HeldLocks locks{*database, clock};
    const HeldLock sleeper{locks, must_lock(uuid, "z").owner, clock.boottime()};
    clock.advance(31s);
    const HeldLock second{locks, must_lock(uuid, "a").owner, clock.boottime()};
    clock.advance(10s);
    ASSERT_TRUE(locks.beat_all());
    EXPECT_FALSE(sleeper.alive_at());
    EXPECT_EQ(second.alive_at(), clock.boottime());
    clock.advance(10s);
    ASSERT_TRUE(locks.beat_all());
    EXPECT_EQ(second.alive_at(), clock.boottime());
}

TEST_F(LockTest, AnUnansweredLockIsOursWhenAskedForAgain)
{
    const std::string uuid = add_mailing();
    must_lock(uuid, "a");
    must_lock(uuid, "a");
}

TEST_F(LockTest, WhatADeadOwnerWasSendingIsSettledByThePolicy)
{
    for (const Incerteza incerteza : {Incerteza::no_maximo_uma, Incerteza::ao_menos_uma}) {
        const std::string uuid = add_mailing({.incerteza = incerteza, .entries = 3});
        const Owner owner = must_lock(uuid, "a").owner;
        ASSERT_TRUE(transact<Marked>([&](Transaction& transaction) {
            return advance(transaction, owner, {.batch = 2});
        }));
        clock.advance(31s);
        EXPECT_EQ(must_lock(uuid, "b").uncertain, 2);
        const bool again = incerteza == Incerteza::ao_menos_uma;
        EXPECT_EQ(entry(uuid, 0, "status"), again ? "PENDING" : "UNKNOWN");
        EXPECT_EQ(entry(uuid, 2, "status"), "PENDING");
        EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "2");
        EXPECT_EQ(ask_mailing("unknown", uuid), again ? "0" : "2");
        expect_exact_counts(uuid);
    }
}

TEST_F(LockTest, AnOwnerOnItsWayOutIsWaitedForAfterAResume)
{
    const std::string uuid = add_mailing();
    const Owner owner = must_lock(uuid, "a").owner;
    sql("UPDATE mailings SET status = 'PAUSED'");
    EXPECT_TRUE(std::holds_alternative<NothingToDo>(*lock(uuid, "b")));
    sql("UPDATE mailings SET status = 'QUEUED'");
    const auto held = lock(uuid, "b");
    ASSERT_TRUE(std::holds_alternative<HeldByOther>(*held));
    EXPECT_TRUE(std::get<HeldByOther>(*held).is_leaving());
    ASSERT_TRUE(*transact<bool>([&](Transaction& transaction) {
        return release_lock(transaction, owner, Status::completed, "why");
    }));
    EXPECT_EQ(status_of(uuid), "QUEUED");  // it was resumed: the old owner only leaves
    EXPECT_EQ(ask_mailing("error", uuid), "");
    must_lock(uuid, "b");
}

}  // namespace
}  // namespace umavez::mailing
