// Batches whose transaction is lost: the members, their answers and what is in the file afterwards.
// A disk that fails when told, no threads, so each case is one exact sequence.

#include "base/fault_point.hpp"
#include "database/sqlite/test_support.hpp"
#include "database/sqlite/test_vfs.hpp"

#include <sqlite3.h>

namespace umavez {
namespace {

using test::read_integer;
using test::sql;

class LossTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        open();
        ASSERT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER UNIQUE) STRICT")));
    }

    void open()
    {
        database = test::open_or_fail(directory.url(), {.clock = &clock, .threads = false});
    }

    // Queues closures so that they share a batch.
    void queue(Closure closure)
    {
        tasks.push_back(database->async_transact(std::move(closure)));
        tasks.back().start(scheduler);
    }
    void insert(int value) { queue(sql("INSERT INTO t VALUES ($1)", {std::int64_t{value}})); }

    Result<void> answer(std::size_t task)
    {
        scheduler.run();
        EXPECT_TRUE(tasks[task].is_done());
        return tasks[task].take();
    }

    std::int64_t rows() { return read_integer(*database, "SELECT count(*) FROM t"); }
    std::uint64_t retried() { return database->lane_stats().retried_alone; }

    test::FaultyVfs vfs;
    test::Directory directory;
    test::HandClock clock;
    test::HandScheduler scheduler;
    std::unique_ptr<SqliteDatabase> database;
    std::deque<Task<Result<void>>> tasks;
};

TEST_F(LossTest, QueuedClosuresShareOneCommit)
{
    const int syncs = vfs.wal_syncs;
    for (int i = 0; i < 3; ++i) insert(i);

    EXPECT_TRUE(database->step());
    EXPECT_FALSE(database->step());

    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(answer(i));
    EXPECT_EQ(vfs.wal_syncs - syncs, 1);
    EXPECT_EQ(rows(), 3);
}

TEST_F(LossTest, BatchThatChangesNothingIsNotFlushed)
{
    const int syncs = vfs.wal_syncs;

    ASSERT_TRUE(database->transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.query("SELECT count(*) FROM t"));
        return {};
    }));

    EXPECT_EQ(vfs.wal_syncs, syncs);
}

TEST_F(LossTest, FailedMemberCostsItsNeighboursNothing)
{
    insert(1);
    insert(1);
    insert(2);

    database->step();

    EXPECT_TRUE(answer(0));
    EXPECT_EQ(answer(1).error().code, Errc::unique_violation);
    EXPECT_TRUE(answer(2));
    EXPECT_EQ(retried(), 0u);
    EXPECT_EQ(rows(), 2);
}

TEST_F(LossTest, FailedFlushReopensTheFileAndRunsEveryMemberAlone)
{
    for (int i = 0; i < 3; ++i) insert(i);
    const int opens = vfs.wal_opens;
    vfs.sync_failures = 1;

    database->step();

    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(answer(i));
    EXPECT_EQ(rows(), 3);
    EXPECT_GT(vfs.wal_opens, opens);  // the handle that failed to flush was not believed again
    EXPECT_TRUE(database->health().reachable);
}

TEST_F(LossTest, FlushesThatKeepFailingLeaveTheEffectUnknownUntilTheDiskIsBack)
{
    insert(1);
    insert(2);
    vfs.sync_failures = 1000;

    database->step();

    for (std::size_t i = 0; i < 2; ++i) {
        const auto done = answer(i);
        ASSERT_FALSE(done);
        EXPECT_EQ(effect_of(done.error().code), Effect::unknown) << done.error().detail;
    }
    EXPECT_FALSE(database->health().reachable);
    vfs.sync_failures = 0;
    EXPECT_TRUE(database->health().reachable);
    EXPECT_TRUE(database->transact(sql("INSERT OR IGNORE INTO t VALUES (1)")));
    EXPECT_GE(rows(), 1);
}

TEST_F(LossTest, FullDiskAtCommitLosesNothingOnceThereIsSpace)
{
    for (int i = 0; i < 3; ++i) insert(i);
    vfs.full_writes = 1;

    database->step();

    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(answer(i));
    EXPECT_EQ(retried(), 3u);
    EXPECT_EQ(rows(), 3);
}

TEST_F(LossTest, FullDiskIsToldWithItsCureAndGoesAwayWithoutARestart)
{
    insert(1);
    vfs.full_writes = 1000;

    database->step();

    const auto done = answer(0);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::store_unavailable);  // nothing of it can come back
    EXPECT_NE(done.error().detail.find("no space left"), std::string::npos) << done.error().detail;
    EXPECT_NE(done.error().detail.find("test.db"), std::string::npos);
    vfs.full_writes = 0;
    EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (2)")));
}

TEST_F(LossTest, EveryWriteMayBeTheOneThatFails)
{
    for (int n = 0; n < 12; ++n) {
        const std::int64_t before = rows();
        insert(100 + 2 * n);
        insert(101 + 2 * n);
        vfs.writes_before_full = n;
        vfs.full_writes = 1;

        while (database->step()) continue;

        vfs.full_writes = 0;
        for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(answer(tasks.size() - 2 + i)) << n;
        EXPECT_EQ(rows(), before + 2) << n;
    }
}

TEST_F(LossTest, OverdueStatementIsInterruptedAndItsNeighboursRunAgain)
{
    insert(1);
    // The clock passes the limit while SQLite is inside the statement.
    queue([this](Transaction& transaction) -> Result<void> {
        clock.set_tick(std::chrono::milliseconds{100});
        const auto done = transaction.execute(
            "INSERT INTO t WITH RECURSIVE n (i) AS "
            "(SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n"
        );
        clock.set_tick({});
        if (!done) return std::unexpected(done.error());
        return {};
    });
    insert(2);

    while (database->step()) continue;

    EXPECT_TRUE(answer(0));
    const auto late = answer(1);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Errc::store_unavailable);
    EXPECT_NE(late.error().detail.find("limit of 2000 ms"), std::string::npos);
    EXPECT_TRUE(answer(2));
    EXPECT_EQ(rows(), 2);
}

TEST_F(LossTest, TimeBurntOutsideSqlCountsToo)
{
    queue([this](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1)"));
        clock.advance(std::chrono::seconds{3});
        EXPECT_FALSE(transaction.execute("INSERT INTO t VALUES (2)"));
        return {};
    });

    database->step();

    EXPECT_EQ(answer(0).error().code, Errc::store_unavailable);
    EXPECT_EQ(rows(), 0);
}

TEST_F(LossTest, BatchClosesWhenItsClosuresHaveUsedUpTheirTime)
{
    const auto slow = [this](Transaction&) -> Result<void> {
        clock.advance(std::chrono::milliseconds{15});
        return {};
    };
    for (int i = 0; i < 3; ++i) queue(slow);
    const std::uint64_t before = database->lane_stats().batches;

    while (database->step()) continue;

    EXPECT_EQ(database->lane_stats().batches - before, 2u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(answer(i));
}

TEST_F(LossTest, ClosureWithoutSavepointThatFailsTakesOnlyItselfAway)
{
    const Closure spoiled = [](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (7)"));
        static_cast<void>(transaction.execute("INSERT INTO t VALUES (7)"));
        return {};
    };
    ClosureWork work{spoiled};
    insert(1);
    tasks.push_back(test::run_on_lane(*database, work));
    tasks.back().start(scheduler);
    insert(2);

    while (database->step()) continue;

    EXPECT_TRUE(answer(0));
    EXPECT_EQ(answer(1).error().code, Errc::unique_violation);
    EXPECT_TRUE(answer(2));
    EXPECT_EQ(rows(), 2);
    EXPECT_EQ(retried(), 1u);
}

TEST_F(LossTest, ErrorInsideOwnSavepointsCostsNoSecondRun)
{
    const Closure failing = [](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(static_cast<SqliteTransaction&>(transaction).begin_savepoint());
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (7)"));
        return fail(Errc::invalid_argument, "gave up with its savepoint open");
    };
    ClosureWork work{failing};
    insert(1);
    tasks.push_back(test::run_on_lane(*database, work));
    tasks.back().start(scheduler);

    database->step();

    EXPECT_TRUE(answer(0));
    EXPECT_EQ(answer(1).error().code, Errc::invalid_argument);
    EXPECT_EQ(rows(), 1);
    EXPECT_EQ(retried(), 0u);
}

TEST_F(LossTest, MemberUndoneAfterItWroteCostsItsBatchASecondRunAndNoSecondCommit)
{
    int runs = 0;
    const int syncs = vfs.wal_syncs;
    queue([&runs](Transaction& transaction) -> Result<void> {
        ++runs;
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1)"));
        return {};
    });
    queue([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (2)"));
        return fail(Errc::invalid_argument, "thought better of it");
    });
    insert(3);

    EXPECT_TRUE(database->step());
    EXPECT_FALSE(database->step());

    EXPECT_TRUE(answer(0));
    EXPECT_EQ(answer(1).error().code, Errc::invalid_argument);
    EXPECT_TRUE(answer(2));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(retried(), 0u);
    EXPECT_EQ(vfs.wal_syncs - syncs, 1);
    EXPECT_EQ(read_integer(*database, "SELECT sum(a) FROM t"), 4);
}

TEST_F(LossTest, MemberUndoneBeforeItWroteIsRunOnce)
{
    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
    int runs = 0;
    queue([&runs](Transaction& transaction) -> Result<void> {
        ++runs;
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING"));
        EXPECT_FALSE(transaction.nested([&]() -> Result<void> {
            const auto done = transaction.execute("INSERT INTO t VALUES (1)");
            return done ? Result<void>{} : std::unexpected(done.error());
        }));
        return fail(Errc::invalid_argument, "there is one");
    });

    database->step();

    EXPECT_EQ(answer(0).error().code, Errc::invalid_argument);
    EXPECT_EQ(runs, 1);
}

TEST_F(LossTest, NestedPartThatWroteIsUndoneAndWhatIsAroundItKept)
{
    insert(1);
    queue([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (2)"));
        const auto refused = transaction.nested([&]() -> Result<void> {
            EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (30)"));
            return fail(Errc::invalid_argument, "not this one");
        });
        EXPECT_EQ(refused.error().code, Errc::invalid_argument);
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (4)"));
        return {};
    });

    EXPECT_TRUE(database->step());

    EXPECT_TRUE(answer(0));
    EXPECT_TRUE(answer(1));
    EXPECT_EQ(read_integer(*database, "SELECT sum(a) FROM t"), 7);
}

TEST_F(LossTest, TableMadeByAMemberThatFailsIsGone)
{
    queue([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("CREATE TABLE made (a INTEGER)"));
        return fail(Errc::invalid_argument, "thought better of it");
    });

    database->step();

    EXPECT_EQ(answer(0).error().code, Errc::invalid_argument);
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM sqlite_schema WHERE name = 'made'"), 0);
}

TEST_F(LossTest, DeferredConstraintAtCommitIsTheCulpritsAlone)
{
    ASSERT_TRUE(database->transact(
        sql("CREATE TABLE child (a INTEGER REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED) STRICT")
    ));
    insert(1);
    queue(sql("INSERT INTO child VALUES (99)"));

    database->step();

    EXPECT_TRUE(answer(0));
    EXPECT_EQ(answer(1).error().code, Errc::sql);
    EXPECT_EQ(rows(), 1);
}

TEST_F(LossTest, FileLockedByAnotherProgramIsToldAndWaitedForOnlyAWhile)
{
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(directory.file("test.db").c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);

    const auto done = database->transact(sql("INSERT INTO t VALUES (1)"));

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::store_unavailable);
    EXPECT_NE(done.error().detail.find("another program holds"), std::string::npos);
    EXPECT_FALSE(database->health().reachable);
    sqlite3_close(other);
    EXPECT_TRUE(database->health().reachable);
    EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
}

class Striker final : public FaultHook {
public:
    explicit Striker(FaultPoint point) : point_(point) { fault_hook = this; }
    ~Striker() override { fault_hook = nullptr; }
    void strike(FaultPoint point) override
    {
        if (point == point_) throw Died{};
    }
    bool ends(FaultPoint, Scheduler&) override { return false; }
    struct Died {};

private:
    FaultPoint point_;
};

TEST_F(LossTest, DeathBeforeCommitLeavesNothingAndDeathAfterItEverything)
{
    for (const FaultPoint point : {FaultPoint::lane_before_commit, FaultPoint::lane_after_commit}) {
        insert(static_cast<int>(point));
        {
            const Striker striker{point};
            EXPECT_THROW(database->step(), Striker::Died);
        }
        scheduler.run();
        EXPECT_FALSE(tasks.back().is_done());
        database.reset();
        open();
        EXPECT_EQ(rows(), point == FaultPoint::lane_after_commit ? 1 : 0);
    }
}

}  // namespace
}  // namespace umavez
