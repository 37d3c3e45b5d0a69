// Two sessions that want the same mailing at the same time, in every order.

#include "modules/mailing/ledger.hpp"
#include "modules/mailing/recover.hpp"
#include "modules/mailing/test_depot.hpp"

namespace umavez::mailing {
namespace {

// Two transactions about the same row. On PostgreSQL the first is held open until the second waits for it;
// SQLite has one writer, who runs them one after the other.
class RaceTest : public Depot {
protected:
    // Gives what came of the second.
    Result<void> race(const Closure& first, const Closure& second, bool first_commits = true)
    {
        std::atomic<bool> first_ran = false;
        std::atomic<bool> may_end = !is_postgres();
        std::jthread one{[&] {
            const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
                const auto ran = first(transaction);
                first_ran = true;
                first_ran.notify_all();
                may_end.wait(false);
                if (!ran) return ran;
                if (!first_commits) return fail(Errc::cancelled, "rolled back");
                return {};
            });
            EXPECT_EQ(done.has_value(), first_commits);
        }};
        first_ran.wait(false);
        Result<void> result;
        std::jthread other{[&] { result = transact_when_free(second); }};
        if (is_postgres()) {
            static_cast<void>(test::is_met("the second waits for the first", [&] {
                return ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                           "AND datname = current_database()") != "0";
            }));
        }
        may_end = true;
        may_end.notify_all();
        other.join();
        return result;
    }

    Closure locking(const std::string& uuid, const std::string& token, Locking& into)
    {
        return [=, this, &into](Transaction& transaction) -> Result<void> {
            auto got = mailing::try_lock(transaction, tenant, uuid, token, 30s);
            if (!got) return std::unexpected(got.error());
            into = *std::move(got);
            return {};
        };
    }
    static Closure marking(const Owner& owner)
    {
        return [owner](Transaction& transaction) -> Result<void> {
            const auto marked = advance(transaction, owner, {.batch = 1});
            if (!marked) return std::unexpected(marked.error());
            return {};
        };
    }
    static Result<void> pause(Transaction& transaction)
    {
        const auto paused = transaction.execute("UPDATE mailings SET status = 'PAUSED'");
        if (!paused) return std::unexpected(paused.error());
        return {};
    }
    static Closure recovering(Recovered& into)
    {
        return [&into](Transaction& transaction) -> Result<void> {
            auto got = recover(transaction, 30s, 15min, 10);
            if (!got) return std::unexpected(got.error());
            into = *std::move(got);
            return {};
        };
    }
};

TEST_F(RaceTest, TwoWhoLock)
{
    const std::string uuid = add_mailing();
    Locking first = NothingToDo{};
    Locking second = NothingToDo{};
    ASSERT_TRUE(race(locking(uuid, "a", first), locking(uuid, "b", second)));
    EXPECT_TRUE(std::holds_alternative<Locked>(first));
    EXPECT_TRUE(std::holds_alternative<HeldByOther>(second));
    EXPECT_EQ(ask_mailing("lock_token", uuid), "a");
}

TEST_F(RaceTest, TheFirstToLockRollsBackAndTheSecondHasIt)
{
    const std::string uuid = add_mailing();
    Locking first = NothingToDo{};
    Locking second = NothingToDo{};
    ASSERT_TRUE(race(locking(uuid, "a", first), locking(uuid, "b", second), false));
    EXPECT_TRUE(std::holds_alternative<Locked>(second));
    EXPECT_EQ(ask_mailing("lock_token", uuid), "b");
}

TEST_F(RaceTest, ASignOfLifeBeforeATakeover)
{
    const std::string uuid = add_mailing();
    const Owner owner = must_lock(uuid, "a").owner;
    clock.advance(31s);
    Locking second = NothingToDo{};
    ASSERT_TRUE(race(
        [&](Transaction& transaction) { return keep_lock(transaction, owner, Status::processing); },
        locking(uuid, "b", second)
    ));
    EXPECT_TRUE(std::holds_alternative<HeldByOther>(second));
    EXPECT_EQ(ask_mailing("lock_token", uuid), "a");
}

TEST_F(RaceTest, ATakeoverBeforeASignOfLife)
{
    const std::string uuid = add_mailing();
    const Owner owner = must_lock(uuid, "a").owner;
    clock.advance(31s);
    Locking first = NothingToDo{};
    bool is_ours = true;
    const auto raced =
        race(locking(uuid, "b", first), [&](Transaction& transaction) -> Result<void> {
            const auto got = still_owns(transaction, owner);
            if (!got) return std::unexpected(got.error());
            is_ours = *got;
            return {};
        });
    ASSERT_TRUE(raced);
    EXPECT_TRUE(std::holds_alternative<Locked>(first));
    EXPECT_FALSE(is_ours);
    EXPECT_EQ(ask_mailing("lock_token", uuid), "b");
}

TEST_F(RaceTest, AScanBeforeALock)
{
    const std::string uuid = add_mailing();
    must_lock(uuid, "dead");
    clock.advance(31s);
    Recovered first;
    Locking second = NothingToDo{};
    ASSERT_TRUE(race(recovering(first), locking(uuid, "b", second)));
    EXPECT_EQ(first.stale.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<Locked>(second));
    EXPECT_EQ(status_of(uuid), "PROCESSING");
    EXPECT_EQ(wake_ups(uuid), "1");
}

TEST_F(RaceTest, APauseBeforeAMarking)
{
    const std::string uuid = add_mailing({.entries = 2});
    const Owner owner = must_lock(uuid, "a").owner;
    const auto marked = race(pause, marking(owner));
    ASSERT_FALSE(marked);
    EXPECT_EQ(marked.error().code, Errc::lease_lost);
    EXPECT_EQ(count_entries(uuid, "status = 'SENDING'"), "0");
}

TEST_F(RaceTest, AMarkingBeforeAPause)
{
    const std::string uuid = add_mailing({.entries = 2});
    const Owner owner = must_lock(uuid, "a").owner;
    ASSERT_TRUE(race(marking(owner), pause));
    EXPECT_EQ(status_of(uuid), "PAUSED");
    EXPECT_EQ(count_entries(uuid, "status = 'SENDING'"), "1");
    // What was handed over is written down after the pause.
    const std::int64_t id = std::stoll(entry(uuid, 0, "id"));
    ASSERT_TRUE(*transact<bool>([&](Transaction& transaction) {
        return leave(transaction, owner, {.results = {{.entry_id = id}}});
    }));
    EXPECT_EQ(entry(uuid, 0, "status"), "SENT");
    EXPECT_EQ(status_of(uuid), "PAUSED");
    EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    expect_exact_counts(uuid);
}

}  // namespace
}  // namespace umavez::mailing
