// The log's writes, gathered: fewer of them, and the same rows afterwards.

#include "database/sqlite/test_support.hpp"
#include "database/sqlite/test_vfs.hpp"

namespace umavez {
namespace {

using test::read_integer;
using test::sql;

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

}  // namespace
}  // namespace umavez
