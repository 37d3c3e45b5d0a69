// A copy of the log leaves something of it, because somebody reads, and its last flush fails: the disk loses
// the pages, and SQLite takes the copy for done all the same. Nobody may see what they were before.

#include "database/sqlite/log_copier.hpp"
#include "faulty_disk.hpp"
#include "temporary_directory.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace umavez::crash {
namespace {

constexpr std::int64_t rows = 60;  // each with a page of its own

const StaticSql begin_sql{"BEGIN IMMEDIATE"};
const StaticSql rollback_sql{"ROLLBACK"};
const StaticSql count_sql{"SELECT count(*) FROM t WHERE v = 1"};

class LostCopyTest : public ::testing::Test {
protected:
    LostCopyTest()
    {
        FaultyDisk::install();
        EXPECT_TRUE(open_database("sqlite:" + options.path));  // there is a file
        lane = *Connection::open(options);
        copier = *LogCopier::open(options);
        EXPECT_TRUE(lane->run_script(
            "CREATE TABLE t (a INTEGER PRIMARY KEY, v INTEGER, b BLOB) STRICT;"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
            "INSERT INTO t SELECT i, 0, zeroblob(3500) FROM n"
        ));
        EXPECT_TRUE(lane->checkpoint(CheckpointMode::truncate));
    }
    ~LostCopyTest() override { FaultyDisk::heal(); }

    // What the lane keeps in memory does not hide what the disk has.
    static void shrink_cache(Connection& connection)
    {
        const char* const sql = "PRAGMA cache_size = 5; PRAGMA shrink_memory";
        EXPECT_EQ(sqlite3_exec(connection.handle(), sql, nullptr, nullptr, nullptr), SQLITE_OK);
    }

    static std::int64_t seen_by(Connection& connection)
    {
        shrink_cache(connection);
        EXPECT_TRUE(connection.execute(begin_sql));
        const auto seen = connection.read_integer(count_sql);
        EXPECT_TRUE(connection.execute(rollback_sql));
        return seen ? *seen : -1;
    }

    // True: a reader kept it from the last pages, and its flush failed.
    bool lose_copy()
    {
        ConnectionOptions of_reader = options;
        of_reader.role = ConnectionRole::reader;
        const auto reader = *Connection::open(of_reader);
        EXPECT_TRUE(lane->run_script("UPDATE t SET v = 1"));
        EXPECT_TRUE(reader->begin_reading());
        EXPECT_TRUE(reader->read_integer(count_sql));
        EXPECT_TRUE(lane->run_script("INSERT INTO t VALUES (100, 1, zeroblob(10))"));
        FaultyDisk::arm({
            .call = Call::flush,
            .code = SQLITE_IOERR_FSYNC,
            .is_losing = true,
            .is_of_database = true,
        });
        copier->start(lane->wal_pages());
        copier->wait();
        FaultyDisk::heal();
        const auto copied = copier->take_result();
        return FaultyDisk::has_struck() && copied && !*copied;
    }

    const TemporaryDirectory directory;
    const ConnectionOptions options{
        .path = directory.path() + "/lost.db", .clock = &system_clock()
    };
    std::unique_ptr<Connection> lane;
    std::unique_ptr<LogCopier> copier;  // closed before the lane
};

TEST_F(LostCopyTest, IsReadFromTheLog)
{
    ASSERT_TRUE(lose_copy());

    EXPECT_EQ(seen_by(*lane), rows + 1);
}

TEST_F(LostCopyTest, IsMadeAgainFromTheWholeLog)
{
    ASSERT_TRUE(lose_copy());

    ASSERT_TRUE(lane->forget_copies());
    const auto copied = lane->checkpoint(CheckpointMode::truncate);

    ASSERT_TRUE(copied) << copied.error().detail;
    copier.reset();
    lane.reset();
    lane = *Connection::open(options);
    EXPECT_EQ(seen_by(*lane), rows + 1);
}

}  // namespace
}  // namespace umavez::crash
