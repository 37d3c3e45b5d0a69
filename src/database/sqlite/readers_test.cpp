// Brief reads share a snapshot, and nobody can tell: each sees all that was committed before it came.

#include "database/sqlite/test_support.hpp"
#include "support/patiently.hpp"
#include "support/wait.hpp"

#include <sqlite3.h>

#include <fstream>
#include <memory>
#include <thread>

namespace umavez {
namespace {

using test::sql;

class ReadersTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_TRUE(database);
        ASSERT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER) STRICT")));
    }

    struct Seen {
        std::int64_t rows = -1;
        std::optional<LogIndex::Head> state;
    };

    Seen read_briefly()
    {
        Seen seen;
        const Closure closure = [&](Transaction& transaction) -> Result<void> {
            auto& connection = static_cast<SqliteTransaction&>(transaction).connection();
            seen.state = connection.snapshot();
            const auto rows = transaction.query("SELECT count(*) FROM t");
            if (!rows) return std::unexpected(rows.error());
            seen.rows = rows->at(0).integer(0);
            return {};
        };
        const auto read = wait(read_with(closure));
        EXPECT_TRUE(read) << read.error().detail;
        return seen;
    }

    Task<Result<void>> read_with(const Closure& closure)
    {
        ClosureWork work{closure};
        work.access = Access::read;
        work.is_brief = true;
        Result<void> done = co_await database->on_reader(work);
        co_return done;
    }

    // What it answers in its first column.
    std::string other_program(const std::string& statement)
    {
        sqlite3* other = nullptr;
        EXPECT_EQ(sqlite3_open(directory.file("test.db").c_str(), &other), SQLITE_OK);
        // The lane may be tending its log.
        sqlite3_busy_timeout(other, static_cast<int>(test::wait_limit().count()) * 1000);
        std::string answer;
        const auto take = [](void* into, int, char** values, char**) {
            *static_cast<std::string*>(into) = values[0];
            return 0;
        };
        EXPECT_EQ(sqlite3_exec(other, statement.c_str(), take, &answer, nullptr), SQLITE_OK);
        sqlite3_close(other);
        return answer;
    }

    void insert() { ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (1)"))); }

    test::Directory directory;
    std::unique_ptr<SqliteDatabase> database = test::open_or_fail(directory.url());
};

TEST_F(ReadersTest, EachSeesTheCommitsBeforeIt)
{
    for (std::int64_t rows = 0; rows < 20; ++rows) {
        EXPECT_EQ(read_briefly().rows, rows);
        EXPECT_EQ(read_briefly().rows, rows);
        insert();
    }
}

TEST_F(ReadersTest, EachSeesWhatAnotherProgramCommitted)
{
    EXPECT_EQ(read_briefly().rows, 0);

    for (std::int64_t rows = 1; rows < 20; ++rows) {
        other_program("INSERT INTO t VALUES (1)");
        EXPECT_EQ(read_briefly().rows, rows);
    }
}

TEST_F(ReadersTest, AStateHasOneNameUntilTheNextCommit)
{
    const auto first = read_briefly().state;
    const auto same = read_briefly().state;
    insert();
    const auto next = read_briefly().state;

    ASSERT_TRUE(first && next);
    EXPECT_EQ(first, same);
    EXPECT_NE(first, next);
}

// The other program's commit ends no snapshot of ours, so only a new one shows it.
TEST_F(ReadersTest, ALongReadIsOnAStateOfItsOwn)
{
    EXPECT_EQ(read_briefly().rows, 0);
    other_program("INSERT INTO t VALUES (1)");

    EXPECT_EQ(test::read_integer(*database, "SELECT count(*) FROM t"), 1);
}

TEST_F(ReadersTest, AnErrorEndsTheSharedSnapshot)
{
    read_briefly();
    const Closure wrong = [](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query("SELECT nothing FROM nowhere");
        return rows ? Result<void>{} : Result<void>{std::unexpected(rows.error())};
    };

    EXPECT_FALSE(wait(read_with(wrong)));

    EXPECT_EQ(other_program("PRAGMA wal_checkpoint(TRUNCATE)"), "0");  // not busy
}

// Kept snapshots would be waited for in vain.
TEST_F(ReadersTest, ACheckpointThatInsistsWaitsForNoKeptSnapshot)
{
    ReaderPool pool{1};
    const auto read = [&](bool ends_meanwhile) {
        ReaderPool::Place place = pool.take();
        if (!place.connection) {
            static const Clock& clock = system_clock();
            place.connection = *Connection::open(
                {.path = directory.file("test.db"), .role = ConnectionRole::reader, .clock = &clock}
            );
        }
        EXPECT_TRUE(place.connection->begin_reading());
        if (ends_meanwhile) pool.end_snapshots();
    };
    const auto is_kept = [&] { return pool.take().connection->is_in_transaction(); };

    read(false);
    EXPECT_TRUE(is_kept());
    pool.end_snapshots();
    EXPECT_FALSE(is_kept());
    read(true);  // it was out while the others were ended
    EXPECT_FALSE(is_kept());
    {
        const ReaderPool::NoSnapshots none{&pool};
        read(false);
        EXPECT_FALSE(is_kept());
    }
    read(false);
    EXPECT_TRUE(is_kept());
    pool.close();
}

// A snapshot that is kept must not keep the log from starting over. On a clock that goes: beside a lane that
// is busy the log becomes longest.
TEST_F(ReadersTest, LogIsBoundedWhileSnapshotsAreKept)
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
        read_briefly();
        ASSERT_TRUE(run("DELETE FROM big"));
        read_briefly();
        largest = std::max(largest, std::filesystem::file_size(wal));
    }

    // Who comes just before the limit still writes a row.
    constexpr int pages_most =
        tuning::checkpoint_pages_least + tuning::checkpoint_pages_late + 3'000;
    constexpr std::int64_t bytes_most = tuning::wal_bytes(pages_most) + tuning::wal_room_made_most;
    EXPECT_LT(largest, static_cast<std::uintmax_t>(bytes_most));
}

// Where nobody commits, another program may still want the log to start over.
TEST_F(ReadersTest, AKeptSnapshotEndsByItself)
{
    read_briefly();
    insert();
    read_briefly();

    test::wait_until("nobody holds the log", [this] {
        return other_program("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)") == "0";
    });
}

TEST_F(ReadersTest, AFileInThePlaceOfOursIsNotRead)
{
    const std::string path = directory.file("test.db");
    std::filesystem::rename(path, directory.file("ours.db"));
    {
        std::ofstream{path};
    }

    const Closure nothing = [](Transaction&) { return Result<void>{}; };
    const auto refused = wait(read_with(nothing));
    std::filesystem::rename(directory.file("ours.db"), path);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::store_unavailable);
    EXPECT_EQ(read_briefly().rows, 0);
}

TEST_F(ReadersTest, ManyReadersBesideAWriterNeverGoBack)
{
    std::atomic<std::int64_t> committed{0};
    std::atomic<bool> is_over{false};
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) {
        readers.emplace_back([&] {
            while (!is_over) {
                const std::int64_t before = committed;
                EXPECT_GE(read_briefly().rows, before);
            }
        });
    }

    for (int i = 0; i < 200; ++i) {
        insert();
        ++committed;
    }
    is_over = true;
}

}  // namespace
}  // namespace umavez
