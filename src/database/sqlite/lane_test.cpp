// The lane and the readers with real threads. A gate in the disk holds a commit for as long as a
// test needs to arrange what happens meanwhile.

#include "database/sqlite/test_support.hpp"
#include "database/sqlite/test_vfs.hpp"
#include "support/patiently.hpp"
#include "support/wait.hpp"

#include <fstream>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace umavez {
namespace {

using test::read_integer;
using test::sql;

class LaneTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        database = test::open_or_fail(directory.url());
        ASSERT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER) STRICT")));
        // The lane makes room in the log; whoever gets a turn after that finds it quiet.
        test::wait_until("there is room in the log", [this] { return is_log_ahead(); });
        ASSERT_TRUE(database->transact(sql("DELETE FROM t")));
    }

    bool is_log_ahead() const
    {
        return std::filesystem::file_size(directory.file("test.db-wal")) >=
               static_cast<std::uintmax_t>(tuning::wal_room_made_least);
    }

    std::future<Result<void>> insert(int value)
    {
        return std::async(std::launch::async, [this, value] {
            return database->transact(sql("INSERT INTO t VALUES ($1)", {std::int64_t{value}}));
        });
    }
    // While the gate is closed. It is opened if they do not come: those behind it are waited for.
    void wait_for_queue(std::uint64_t length)
    {
        try {
            test::wait_until(std::to_string(length) + " are queued", [&] {
                return database->lane_stats().queue_length == length;
            });
        } catch (const test::WaitNotMet&) {
            vfs.open_gate();
            throw;
        }
    }

    test::FaultyVfs vfs;
    test::Directory directory;
    std::unique_ptr<SqliteDatabase> database;
};

TEST_F(LaneTest, BatchFormsWhileThePreviousOneCommits)
{
    vfs.close_gate();
    auto first = insert(1);
    vfs.wait_until_held();
    std::vector<std::future<Result<void>>> others;
    for (int i = 2; i < 6; ++i) others.push_back(insert(i));
    wait_for_queue(4);
    const LaneStats before = database->lane_stats();

    vfs.open_gate();

    EXPECT_TRUE(first.get());
    for (auto& other : others) EXPECT_TRUE(other.get());
    const LaneStats after = database->lane_stats();
    EXPECT_EQ(after.batches - before.batches, 2u);
    EXPECT_EQ(after.members - before.members, 5u);
}

TEST_F(LaneTest, LoneRequestsAreCommittedOneByOne)
{
    const LaneStats before = database->lane_stats();

    for (int i = 0; i < 20; ++i) EXPECT_TRUE(insert(i).get());

    EXPECT_EQ(database->lane_stats().batches - before.batches, 20u);
}

TEST_F(LaneTest, UrgentWorkOvertakesTheQueue)
{
    vfs.close_gate();
    auto first = insert(1);
    vfs.wait_until_held();
    std::vector<std::string> order;
    const auto append = [&order](std::string name) {
        return [&order, name = std::move(name)](Transaction&) -> Result<void> {
            order.push_back(name);
            return {};
        };
    };
    const Closure ordinary = append("ordinary");
    const Closure urgent = append("urgent");
    ClosureWork ordinary_work{ordinary};
    ClosureWork urgent_work{urgent};
    urgent_work.is_urgent = true;
    const auto run = [this](Work& work) {
        return std::async(std::launch::async, [this, &work] {
            return wait(test::run_on_lane(*database, work));
        });
    };
    auto one = run(ordinary_work);
    wait_for_queue(1);
    auto two = run(urgent_work);
    wait_for_queue(2);

    vfs.open_gate();

    EXPECT_TRUE(first.get() && one.get() && two.get());
    EXPECT_EQ(order, (std::vector<std::string>{"urgent", "ordinary"}));
}

TEST_F(LaneTest, ReaderDoesNotWaitForACommitNorSeeIt)
{
    vfs.close_gate();
    auto writing = insert(1);
    vfs.wait_until_held();

    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 0);

    vfs.open_gate();
    EXPECT_TRUE(writing.get());
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 1);
}

TEST_F(LaneTest, ReadTransactionKeepsItsSnapshot)
{
    const auto done = database->read([this](Transaction& transaction) -> Result<void> {
        EXPECT_EQ(transaction.query("SELECT count(*) FROM t")->at(0).integer(0), 0);
        EXPECT_TRUE(insert(1).get());
        EXPECT_EQ(transaction.query("SELECT count(*) FROM t")->at(0).integer(0), 0);
        return {};
    });

    EXPECT_TRUE(done);
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 1);
}

// Resumed only by the thread that runs it, and never blocking: an event loop.
class LoopScheduler final : public Scheduler {
public:
    void resume_soon(std::coroutine_handle<> handle) override
    {
        const std::lock_guard guard{mutex_};
        ready_.push_back(handle);
        changed_.notify_one();
    }
    void run_one()
    {
        std::unique_lock lock{mutex_};
        test::wait_until("a task is ready", changed_, lock, [this] { return !ready_.empty(); });
        const std::coroutine_handle<> handle = ready_.front();
        ready_.pop_front();
        lock.unlock();
        handle.resume();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::coroutine_handle<>> ready_;
};

TEST_F(LaneTest, EventLoopReadsOnAnotherThreadAndGoesOnOnItsOwn)
{
    LoopScheduler loop;
    std::thread::id ran_on;
    auto task = database->async_read([&ran_on](Transaction&) -> Result<void> {
        ran_on = std::this_thread::get_id();
        return {};
    });

    task.start(loop);
    while (!task.is_done()) loop.run_one();

    EXPECT_TRUE(task.take());
    EXPECT_NE(ran_on, std::thread::id{});
    EXPECT_NE(ran_on, std::this_thread::get_id());
}

Task<Result<void>> read_briefly(SqliteDatabase& database, Closure closure)
{
    ClosureWork work{closure};
    work.access = Access::read;
    work.is_brief = true;
    Result<void> done = co_await database.on_reader(work);
    co_return done;
}

// Opening a connection is not brief, so the first read hops.
TEST_F(LaneTest, EventLoopReadsBrieflyOnItsOwnThreadOnceAConnectionIsOpen)
{
    LoopScheduler loop;
    std::vector<std::thread::id> ran_on;
    const Closure closure = [&ran_on](Transaction& transaction) -> Result<void> {
        ran_on.push_back(std::this_thread::get_id());
        EXPECT_EQ(transaction.query("SELECT count(*) FROM t")->at(0).integer(0), 0);
        return {};
    };

    for (int i = 0; i < 2; ++i) {
        auto task = read_briefly(*database, closure);
        task.start(loop);
        while (!task.is_done()) loop.run_one();
        EXPECT_TRUE(task.take());
    }

    ASSERT_EQ(ran_on.size(), 2u);
    EXPECT_NE(ran_on[0], std::this_thread::get_id());
    EXPECT_EQ(ran_on[1], std::this_thread::get_id());
}

TEST_F(LaneTest, ManyWritersLoseNoUpdate)
{
    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (0)")));
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; ++i) {
        writers.emplace_back([this] {
            for (int n = 0; n < 50; ++n) {
                EXPECT_TRUE(database->transact(sql("UPDATE t SET a = a + 1")));
            }
        });
    }
    for (std::thread& writer : writers) writer.join();

    EXPECT_EQ(read_integer(*database, "SELECT a FROM t"), 400);
}

TEST_F(LaneTest, ClosingRunsWhatIsQueued)
{
    vfs.close_gate();
    auto first = insert(1);
    vfs.wait_until_held();
    auto second = insert(2);
    wait_for_queue(1);
    vfs.open_gate();
    EXPECT_TRUE(first.get());
    EXPECT_TRUE(second.get());

    database.reset();

    database = test::open_or_fail(directory.url());
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 2);
}

TEST_F(LaneTest, LoneCallerRunsItsBatchItself)
{
    const auto here = std::this_thread::get_id();
    // The lane's thread may still be busy with the log; sooner or later it sleeps.
    test::wait_until("a caller runs its batch itself", [&] {
        bool is_here = false;
        const auto done = database->transact([&](Transaction&) -> Result<void> {
            is_here = std::this_thread::get_id() == here;
            return {};
        });
        return done && is_here;
    });
}

TEST_F(LaneTest, ChildOfForkIsRefused)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const auto done = database->transact(sql("INSERT INTO t VALUES (1)"));
        ::_exit(!done && done.error().detail.find("fork()") != std::string::npos ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 0);
}

// Its threads are not there to be joined, and who waits for them waits for ever.
TEST_F(LaneTest, ChildOfForkDestroysItsCopyAndTheParentGoesOn)
{
    ASSERT_TRUE(database->read([](Transaction&) { return Result<void>{}; }));
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(static_cast<unsigned>(test::wait_limit().count()));
        database.reset();
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_FALSE(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        << test::not_met("the child destroys its copy");
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 1);
    EXPECT_TRUE(std::filesystem::exists(directory.file("test.db-wal")));
}

TEST_F(LaneTest, FileThatTookThePlaceOfOursIsNotWrittenTo)
{
    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
    const std::string path = directory.file("test.db");
    std::filesystem::copy_file(path, directory.file("copy"));
    std::filesystem::rename(path, directory.file("ours"));
    std::filesystem::rename(directory.file("copy"), path);

    for (int i = 0; i < 3; ++i) {
        const auto done = database->transact(sql("INSERT INTO t VALUES (2)"));
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, Errc::store_unavailable);
    }
    std::filesystem::rename(directory.file("ours"), path);
    EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (3)")));
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 2);
}

TEST_F(LaneTest, NothingIsCommittedToALogThatWasDeleted)
{
    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
    std::filesystem::remove(directory.file("test.db-wal"));

    const auto done = database->transact(sql("INSERT INTO t VALUES (2)"));

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::store_unavailable);
    EXPECT_NE(done.error().detail.find("-wal was deleted"), std::string::npos);
}

// SQLite itself makes a new one when a reader is opened: commits would go to the one without a name.
TEST_F(LaneTest, NothingIsCommittedWhereAnotherLogIsInItsPlace)
{
    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
    const std::string wal = directory.file("test.db-wal");
    std::filesystem::rename(wal, directory.file("ours"));
    std::ofstream{wal};

    const auto done = database->transact(sql("INSERT INTO t VALUES (2)"));

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::store_unavailable);
    EXPECT_NE(done.error().detail.find("-wal was deleted"), std::string::npos);
    std::filesystem::rename(directory.file("ours"), wal);
    EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (3)")));
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 2);
}

// After an I/O error a handle is replaced; here it is the only one that still reaches the log.
TEST_F(LaneTest, ALogThatWasDeletedWhileItsFlushFailedIsSavedAtTheEnd)
{
    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), 1);  // and a reader is open
    vfs.close_gate();
    auto second = insert(2);
    vfs.wait_until_held();
    std::filesystem::remove(directory.file("test.db-wal"));
    vfs.sync_failures = 1;
    vfs.open_gate();

    EXPECT_FALSE(second.get());
    const auto third = database->transact(sql("INSERT INTO t VALUES (3)"));
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code, Errc::store_unavailable);
    EXPECT_NE(third.error().detail.find("-wal was deleted"), std::string::npos);

    database.reset();
    database = test::open_or_fail(directory.url());
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t WHERE a = 1"), 1);
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t WHERE a = 3"), 0);
    EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (4)")));
}

TEST_F(LaneTest, CallersThatLeadAndTheLaneTakeTurns)
{
    constexpr int threads = 4;
    constexpr int each = 200;
    {
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < threads; ++caller) {
            callers.emplace_back([this] {
                for (int i = 0; i < each; ++i) {
                    EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)")));
                }
            });
        }
    }
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), threads * each);
}

TEST(Tuning, LogFollowsTheSizeOfTheDatabase)
{
    constexpr std::int64_t mebibyte = 1024 * 1024;
    EXPECT_EQ(tuning::checkpoint_pages(0), 20'000);
    EXPECT_EQ(tuning::checkpoint_pages(100 * mebibyte), 20'000);
    EXPECT_EQ(tuning::checkpoint_pages(400 * mebibyte), 51'200);  // half of it
    EXPECT_EQ(tuning::checkpoint_pages(10'000 * mebibyte), 100'000);
}

TEST(Tuning, CacheFollowsTheSizeOfTheDatabase)
{
    constexpr std::int64_t mebibyte = 1024 * 1024;
    EXPECT_EQ(tuning::lane_cache_kib(0), 4 * 1024);
    EXPECT_EQ(tuning::lane_cache_kib(63 * mebibyte), 4 * 1024);
    EXPECT_EQ(tuning::lane_cache_kib(64 * mebibyte), 8 * 1024);  // an eighth of it
    EXPECT_EQ(tuning::lane_cache_kib(1'000 * mebibyte), 64 * 1024);
    EXPECT_EQ(tuning::lane_cache_kib(10'000 * mebibyte), 64 * 1024);
}

// On a clock that goes: beside a lane that is busy the log becomes longest.
TEST_F(LaneTest, LogIsBoundedWhileReadersComeAndGo)
{
    database.reset();
    database = test::open_or_fail(directory.url(), {.clock = &system_clock()});
    const auto run = [this](const char* statement) {
        return test::patiently(statement, [&] { return database->transact(sql(statement)); });
    };
    ASSERT_TRUE(run("CREATE TABLE big (b BLOB) STRICT"));
    const std::string wal = directory.file("test.db-wal");
    std::uintmax_t largest = 0;
    for (int i = 0; i < 50; ++i) {  // 400 MiB of log, were it not bounded
        ASSERT_TRUE(run("INSERT INTO big VALUES (zeroblob(8388608))"));
        ASSERT_TRUE(run("DELETE FROM big"));
        EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM big"), 0);
        largest = std::max(largest, std::filesystem::file_size(wal));
    }

    // How far it goes below that depends on when it is copied and readers let go of it. Who comes just before
    // the limit still writes a row.
    constexpr int pages_most =
        tuning::checkpoint_pages_least + tuning::checkpoint_pages_late + 3'000;
    constexpr std::int64_t bytes_most = tuning::wal_bytes(pages_most) + tuning::wal_room_made_most;
    EXPECT_LT(largest, static_cast<std::uintmax_t>(bytes_most));
}

TEST_F(LaneTest, LogWrittenAheadIsIgnoredByRecovery)
{
    for (int i = 0; i <= 20; ++i) ASSERT_TRUE(insert(i).get());
    ASSERT_TRUE(is_log_ahead());
    const test::Directory other;
    for (const char* const name : {"test.db", "test.db-wal"}) {
        std::filesystem::copy_file(directory.file(name), other.file(name));
    }

    const auto recovered = test::open_or_fail(other.url());

    EXPECT_EQ(read_integer(*recovered, "SELECT count(*) FROM t"), 21);
    EXPECT_TRUE(recovered->transact(sql("INSERT INTO t VALUES (99)")));
}

TEST_F(LaneTest, MemoryDatabaseReadsThroughTheLane)
{
    const auto memory = test::open_or_fail("sqlite::memory:");
    ASSERT_TRUE(memory->transact(sql("CREATE TABLE t (a INTEGER)")));
    ASSERT_TRUE(memory->transact(sql("INSERT INTO t VALUES (5)")));

    EXPECT_EQ(read_integer(*memory, "SELECT a FROM t"), 5);
    EXPECT_FALSE(memory->read(sql("DELETE FROM t")));
}

}  // namespace
}  // namespace umavez
