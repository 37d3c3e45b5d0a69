// The log is copied beside the lane: what is committed meanwhile is kept, and the log starts over.

#include "database/sqlite/log_copier.hpp"

#include "database/sqlite/test_support.hpp"
#include "database/sqlite/test_vfs.hpp"
#include "support/wait.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace umavez {
namespace {

using test::read_integer;
using test::sql;

std::int64_t is_sound(Database& database)
{
    return read_integer(database, "SELECT integrity_check = 'ok' FROM pragma_integrity_check");
}

class LogCopierTest : public ::testing::Test {
protected:
    LogCopierTest()
    {
        test::open_or_fail(directory.url()).reset();  // there is a file
        lane = *Connection::open(options);
        copier = *LogCopier::open(options);
        EXPECT_TRUE(lane->run_script("CREATE TABLE t (b BLOB) STRICT"));
    }

    void write_pages(int count)
    {
        for (int i = 0; i < count; ++i) {
            EXPECT_TRUE(lane->run_script("INSERT INTO t VALUES (randomblob(3500))"));
        }
    }

    // How the copy of the log as it is now ends; `meanwhile` runs beside it.
    template <typename Meanwhile>
    Result<LogCopy> copy(const Meanwhile& meanwhile)
    {
        copier->start(lane->wal_pages());
        meanwhile();
        copier->wait();
        auto ended = copier->take_result();
        EXPECT_TRUE(ended);
        EXPECT_FALSE(copier->take_result());
        return *std::move(ended);
    }

    test::FaultyVfs vfs;
    test::Directory directory;
    const ConnectionOptions options{.path = directory.file("test.db"), .clock = &system_clock()};
    std::unique_ptr<Connection> lane;
    std::unique_ptr<LogCopier> copier;  // closed before the lane
};

TEST_F(LogCopierTest, CopiesEverythingThatWasCommittedWhenItBegan)
{
    static const StaticSql begin{"BEGIN IMMEDIATE"};
    static const StaticSql insert{"INSERT INTO t VALUES (randomblob(3500))"};
    static const StaticSql commit{"COMMIT"};
    write_pages(20);
    const int before = lane->wal_pages();
    ASSERT_TRUE(lane->execute(begin));  // so that the log does not start over when all is copied

    const auto copied = copy([&] { EXPECT_TRUE(lane->execute(insert)); });

    ASSERT_TRUE(lane->execute(commit));
    ASSERT_TRUE(copied) << copied.error().detail;
    EXPECT_EQ(copied->copied, before);
    EXPECT_EQ(copied->pages, before);
    EXPECT_GT(lane->wal_pages(), before);  // it goes on growing
    EXPECT_FALSE(lane->is_log_copied());
}

TEST_F(LogCopierTest, FlushesTheDatabaseInPortions)
{
    write_pages(310);
    const int before = vfs.database_syncs;

    ASSERT_TRUE(copy([] {}));

    EXPECT_GE(vfs.database_syncs - before, 3);  // one of them is SQLite's own, at the end
}

// SQLite flushes only a copy that leaves nothing of the log. Whoever makes that one, mostly the lane, would
// flush what all the others wrote.
TEST_F(LogCopierTest, FlushesWhatItCopiedWhereAReaderHoldsTheRest)
{
    static const StaticSql count{"SELECT count(*) FROM t"};
    ConnectionOptions of_reader = options;
    of_reader.role = ConnectionRole::reader;
    const auto reader = Connection::open(of_reader);
    ASSERT_TRUE(reader);
    write_pages(5);
    ASSERT_TRUE((*reader)->begin_reading());
    ASSERT_TRUE((*reader)->read_integer(count));
    write_pages(5);
    const int syncs = vfs.database_syncs;

    const auto copied = copy([] {});

    ASSERT_TRUE(copied) << copied.error().detail;
    EXPECT_GT(copied->copied, 0);
    EXPECT_LT(copied->copied, copied->pages);
    EXPECT_EQ(vfs.database_syncs - syncs, 1);
}

// SQLite takes such a copy for done, whatever became of its flush.
TEST_F(LogCopierTest, CopyWhoseLastFlushFailsIsTakenBack)
{
    static const StaticSql count{"SELECT count(*) FROM t"};
    ConnectionOptions of_reader = options;
    of_reader.role = ConnectionRole::reader;
    const auto reader = Connection::open(of_reader);
    ASSERT_TRUE(reader);
    write_pages(5);
    ASSERT_TRUE((*reader)->begin_reading());
    ASSERT_TRUE((*reader)->read_integer(count));
    write_pages(5);
    const int writes = vfs.database_writes;
    vfs.database_sync_failures = 1;

    EXPECT_FALSE(copy([] {}));

    EXPECT_TRUE(copier->has_failed_disk());
    const int written = vfs.database_writes - writes;
    EXPECT_GE(written, 5);
    // Who was there may have read what is lost; who comes now cannot.
    EXPECT_TRUE(lane->may_have_misread());
    EXPECT_TRUE((*reader)->needs_reopen());
    const auto later = Connection::open(options);
    ASSERT_TRUE(later);
    EXPECT_FALSE((*later)->may_have_misread());
    EXPECT_TRUE((*later)->checkpoint(CheckpointMode::passive));
    EXPECT_EQ(vfs.database_writes - writes, 2 * written);
}

// Another program was quicker: see log_copier.hpp.
TEST_F(LogCopierTest, LogThatIsCopiedAlreadyIsNotCopiedAgain)
{
    write_pages(20);
    ASSERT_TRUE(copy([] {}));
    const int writes = vfs.database_writes;

    EXPECT_FALSE(copy([] {}));

    EXPECT_EQ(vfs.database_writes, writes);
    EXPECT_TRUE(lane->is_log_copied());
}

// After a flush that failed nobody knows which pages are there.
TEST_F(LogCopierTest, CopiesThatAreForgottenAreMadeAgain)
{
    write_pages(20);
    ASSERT_TRUE(copy([] {}));
    const int writes = vfs.database_writes;

    ASSERT_TRUE(lane->forget_copies());

    EXPECT_FALSE(lane->is_log_copied());
    const auto copied = lane->checkpoint(CheckpointMode::passive);
    ASSERT_TRUE(copied) << copied.error().detail;
    EXPECT_GE(vfs.database_writes - writes, 20);
    EXPECT_TRUE(lane->is_log_copied());
}

// Who writes might just start the log over, which would then never be copied again.
TEST_F(LogCopierTest, CopiesAreNotForgottenUnderAnotherWriter)
{
    static const StaticSql begin{"BEGIN IMMEDIATE"};
    static const StaticSql rollback{"ROLLBACK"};
    write_pages(20);
    ASSERT_TRUE(copy([] {}));
    const auto other = Connection::open(options);
    ASSERT_TRUE(other && (*other)->execute(begin));

    EXPECT_FALSE(lane->forget_copies());
    EXPECT_TRUE(lane->is_log_copied());

    ASSERT_TRUE((*other)->execute(rollback));
    EXPECT_TRUE(lane->forget_copies());
}

TEST_F(LogCopierTest, LogOfWhichNothingIsLeftStartsOverWithTheNextCommit)
{
    write_pages(20);
    EXPECT_FALSE(lane->is_log_copied());

    const auto copied = copy([] {});

    ASSERT_TRUE(copied) << copied.error().detail;
    EXPECT_EQ(copied->copied, lane->wal_pages());
    EXPECT_TRUE(lane->is_log_copied());
    lane->on_copied(*copied);
    EXPECT_EQ(lane->wal_pages(), 0);
    write_pages(1);
    EXPECT_LT(lane->wal_pages(), 20);
}

TEST_F(LogCopierTest, CopyThatCannotBeFlushedIsTold)
{
    write_pages(60);
    vfs.database_sync_failures = 1;

    EXPECT_FALSE(copy([] {}));

    EXPECT_FALSE(lane->is_log_copied());
    const auto copied = lane->checkpoint(CheckpointMode::passive);
    ASSERT_TRUE(copied) << copied.error().detail;
    EXPECT_EQ(copied->copied, copied->pages);
}

TEST(LogBesideTheLane, KeepsEveryRowAndStartsOver)
{
    constexpr int writers = 4;
    constexpr int rows_each = 600;
    constexpr int pages_per_row = 20;  // 48,000 in all: more than two busy logs
    const test::FaultyVfs vfs;
    const test::Directory directory;
    // On a clock that goes: a lane that is busy lets its log become long.
    auto database = test::open_or_fail(directory.url(), {.clock = &system_clock()});
    const auto insert = [&database](const std::string& statement, const Values& values = {}) {
        return test::is_met(statement, [&] {
            return database->transact(sql(statement, values)).has_value();
        });
    };
    ASSERT_TRUE(insert("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
    {
        std::vector<std::jthread> threads;
        for (int writer = 0; writer < writers; ++writer) {
            threads.emplace_back([&] {
                for (int i = 0; i < rows_each; ++i) {
                    const bool is_written = insert(
                        "INSERT INTO t (b) VALUES (randomblob($1))",
                        {std::int64_t{pages_per_row * 4096}}
                    );
                    if (!is_written) return;
                    if (i % 50 == 0) {
                        EXPECT_GT(read_integer(*database, "SELECT count(*) FROM t"), i);
                    }
                }
            });
        }
    }
    EXPECT_EQ(is_sound(*database), 1);

    database.reset();
    EXPECT_GT(vfs.database_syncs_beside, 0);  // by now what was begun beside the lane has ended
    database = test::open_or_fail(directory.url());

    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), writers * rows_each);
    EXPECT_EQ(is_sound(*database), 1);
}

// A lane whose log is copied every hundred pages, on a disk that fails when told.
class LogBesideTest : public ::testing::Test {
protected:
    LogBesideTest()
    {
        EXPECT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"))
        );
    }

    // One commit at a time, by the caller's own hand, until `condition` holds.
    template <typename Condition>
    void insert_until(std::string_view what, const Condition& condition)
    {
        test::wait_until(what, [&] {
            if (condition()) return true;
            if (database->transact(insert_rows(rows_each))) inserted += rows_each;
            return false;
        });
    }

    // About a page for each.
    static Closure insert_rows(std::int64_t count)
    {
        return sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) "
            "INSERT INTO t (b) SELECT randomblob(3500) FROM n",
            {count}
        );
    }

    std::int64_t rows() { return read_integer(*database, "SELECT count(*) FROM t"); }

    static constexpr std::int64_t rows_each = 25;
    test::FaultyVfs vfs;
    const test::Directory directory;
    std::unique_ptr<SqliteDatabase> database = test::open_or_fail(directory.url());
    std::int64_t inserted = 0;
};

// Whether a disk that forgets loses something is asked by tests/crash/copied_log_test.cpp.
TEST_F(LogBesideTest, GoesOnAfterFlushesThatFailed)
{
    insert_until("a copy is flushed", [&] { return vfs.database_syncs_beside > 0; });
    vfs.database_sync_failures = 5;

    insert_until("all flushes have failed", [&] { return vfs.database_sync_failures == 0; });

    const int syncs = vfs.database_syncs_beside;
    insert_until("copies go on", [&] { return vfs.database_syncs_beside > syncs + 5; });
    EXPECT_EQ(rows(), inserted);
    EXPECT_EQ(is_sound(*database), 1);
    database.reset();
    database = test::open_or_fail(directory.url());
    EXPECT_EQ(rows(), inserted);
    EXPECT_EQ(is_sound(*database), 1);
}

TEST_F(LogBesideTest, IsClosedWhileTheLogIsBeingCopiedOrWasJustNow)
{
    for (int i = 0; i < 5; ++i) {
        const int syncs = vfs.database_syncs_beside;
        insert_until("a copy is flushed", [&] { return vfs.database_syncs_beside > syncs; });
        database.reset();
        database = test::open_or_fail(directory.url());
        EXPECT_EQ(rows(), inserted);
    }
}

// The first copy opens the files by their names.
TEST_F(LogBesideTest, LogIsNotCopiedIntoAFileInThePlaceOfOurs)
{
    const std::string path = directory.file("test.db");
    // Fewer than are copied: nobody has opened the files a second time yet.
    insert_until("there are rows", [&] { return inserted > 0; });
    const Closure large = insert_rows(200);
    std::filesystem::copy_file(path, directory.file("copy.db"));
    const auto size = std::filesystem::file_size(directory.file("copy.db"));
    const auto time = std::filesystem::last_write_time(directory.file("copy.db"));
    vfs.close_gate();
    bool written = false;
    std::jthread writer{[&] { written = database->transact(large).has_value(); }};
    vfs.wait_until_held();  // past the look at the files
    // Nothing more in between: a lane that is held is busy, and lets its log become longer.
    std::filesystem::rename(path, directory.file("ours.db"));
    std::filesystem::rename(directory.file("copy.db"), path);
    vfs.open_gate();
    writer.join();
    const auto ours_grew = [&] {
        return std::filesystem::file_size(directory.file("ours.db")) > size;
    };
    // A lane that looks at the files once more refuses, and has nothing to copy.
    if (written) test::wait_until("the lane copies its log", ours_grew);

    EXPECT_EQ(ours_grew(), written);  // by the lane
    EXPECT_EQ(std::filesystem::file_size(path), size);
    EXPECT_EQ(std::filesystem::last_write_time(path), time);
    std::filesystem::rename(directory.file("ours.db"), path);
    EXPECT_EQ(rows(), inserted + (written ? 200 : 0));
}

}  // namespace
}  // namespace umavez
