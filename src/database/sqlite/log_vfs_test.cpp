// The log's writes, gathered: fewer of them, and the same rows afterwards.

#include "database/sqlite/test_support.hpp"
#include "database/sqlite/test_vfs.hpp"

#include <sqlite3.h>

namespace umavez {
namespace {

using test::read_integer;
using test::sql;
using namespace std::chrono_literals;

class LogVfsTest : public ::testing::Test {
protected:
    LogVfsTest()
    {
        open();
        EXPECT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT")));
    }

    void open()
    {
        database.reset();
        database = test::open_or_fail(directory.url(), {.clock = &clock, .threads = false});
    }

    // One row and one page of it for each.
    Result<void> insert(std::int64_t pages)
    {
        return database->transact(sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) "
            "INSERT INTO t (b) SELECT randomblob(3500) FROM n",
            {pages}
        ));
    }

    // As another program would.
    void write_elsewhere(const char* statement)
    {
        sqlite3* other = nullptr;
        ASSERT_EQ(sqlite3_open(directory.file("test.db").c_str(), &other), SQLITE_OK);
        sqlite3_wal_autocheckpoint(other, 0);
        EXPECT_EQ(sqlite3_exec(other, statement, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(other);
    }

    std::int64_t rows() { return read_integer(*database, "SELECT count(*) FROM t"); }
    bool is_sound()
    {
        return read_integer(*database, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") == 1;
    }

    test::FaultyVfs vfs;
    test::Directory directory;
    test::HandClock clock;
    std::unique_ptr<SqliteDatabase> database;
};

TEST_F(LogVfsTest, ACommitOfManyPagesIsFewWrites)
{
    const int before = vfs.wal_writes;

    ASSERT_TRUE(insert(40));

    EXPECT_LE(vfs.wal_writes - before, 4) << "40 pages in pieces of 64 KiB";
    EXPECT_EQ(rows(), 40);
}

TEST_F(LogVfsTest, ACommitLargerThanWhatIsGatheredIsWhole)
{
    ASSERT_TRUE(insert(1000));
    EXPECT_EQ(rows(), 1000);
    open();

    EXPECT_EQ(rows(), 1000);
    EXPECT_TRUE(is_sound());
}

TEST_F(LogVfsTest, ACommitThatLostOnePieceDidNotHappen)
{
    for (const int lost : {0, 1, 2}) {
        vfs.writes_before_full = lost;
        vfs.full_writes = 1000;  // the lane tries again
        const auto refused = insert(40);
        vfs.writes_before_full = 0;
        vfs.full_writes = 0;

        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::store_unavailable);
        EXPECT_EQ(rows(), 0);
    }

    ASSERT_TRUE(insert(3));
    open();
    EXPECT_EQ(rows(), 3);
    EXPECT_TRUE(is_sound());
}

// More than the page cache holds goes to the log before the end. Written after the rollback, it would be
// written where another program's commit is by then.
TEST_F(LogVfsTest, WhatWasRolledBackIsNotWrittenLater)
{
    for (const std::int64_t pages : {950, 1000, 1020, 1060}) {
        open();
        const auto interrupted = database->transact([&](Transaction& transaction) -> Result<void> {
            constexpr const char* many =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) "
                "INSERT INTO t (b) SELECT randomblob(3500) FROM n";
            if (auto inserted = transaction.execute(many, {pages}); !inserted) {
                return std::unexpected(inserted.error());
            }
            clock.advance(1h);
            auto too_late = transaction.execute(many, {std::int64_t{1'000'000}});
            if (!too_late) return std::unexpected(too_late.error());
            return {};
        });
        ASSERT_FALSE(interrupted);
        write_elsewhere("CREATE TABLE IF NOT EXISTS other (b BLOB)");
        write_elsewhere("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
                        "INSERT INTO other SELECT randomblob(3500) FROM n");

        const auto done = insert(1);

        ASSERT_TRUE(done) << pages << ": " << done.error().detail;
        ASSERT_TRUE(is_sound()) << pages;
    }
    EXPECT_EQ(rows(), 4);
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM other"), 6000);
}

}  // namespace
}  // namespace umavez
