// Opening: what is refused and in which words, what a file carries from one process to the next.

#include "database/sqlite/database_path.hpp"
#include "database/sqlite/file_watch.hpp"
#include "database/sqlite/test_support.hpp"

#include <sqlite3.h>

#include <fstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace umavez {
namespace {

using test::open_or_fail;
using test::read_integer;
using test::sql;

std::string refusal(const std::string& url, const DatabaseOptions& options = {})
{
    const auto opened = open_database(url, options);
    EXPECT_FALSE(opened);
    if (opened) return {};
    EXPECT_EQ(opened.error().code, Errc::misconfigured);
    return opened.error().detail;
}

TEST(OpenDatabase, CreatesAFileThatOthersCannotRead)
{
    const test::Directory directory;

    const auto database = open_or_fail(directory.url());

    struct stat status{};
    ASSERT_EQ(::stat(directory.file("test.db").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0007u, 0u);
    EXPECT_EQ(database->url(), directory.url());
}

TEST(OpenDatabase, DirectoryIsRefused)
{
    const test::Directory directory;

    EXPECT_NE(refusal("sqlite:" + directory.file("")).find("is a directory"), std::string::npos);
    EXPECT_NE(
        refusal("sqlite:" + directory.file("no/such/x.db")).find("does not exist: create it"),
        std::string::npos
    );
}

TEST(OpenDatabase, MissingFileIsRefusedWhenItMustExist)
{
    const test::Directory directory;

    const std::string why = refusal(directory.url(), {.must_exist = true});

    EXPECT_NE(why.find("there is no database"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(directory.file("test.db")));
}

TEST(OpenDatabase, FileThatIsNoDatabaseIsRefusedAndLeftAlone)
{
    const test::Directory directory;
    const std::string text(4096, 'x');
    std::ofstream{directory.file("test.db")} << text;

    const std::string why = refusal(directory.url());

    EXPECT_NE(why.find("is not an SQLite database"), std::string::npos) << why;
    EXPECT_EQ(std::filesystem::file_size(directory.file("test.db")), text.size());
}

TEST(OpenDatabase, NetworkFilesystemsAreKnown)
{
    EXPECT_TRUE(is_network_filesystem(0x6969));
    EXPECT_TRUE(is_network_filesystem(static_cast<long>(0xff534d42)));
    EXPECT_TRUE(is_network_filesystem(static_cast<std::int32_t>(0xfe534d42)));
    EXPECT_FALSE(is_network_filesystem(0xef53));      // ext4
    EXPECT_FALSE(is_network_filesystem(0x01021994));  // tmpfs
}

TEST(OpenDatabase, SecondOpenNamesTheHolder)
{
    const test::Directory directory;
    int ready[2];
    int done[2];
    ASSERT_EQ(::pipe(ready) + ::pipe(done), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto lock =
            FileLock::acquire(std::filesystem::canonical(directory.file("")) / "test.db");
        char byte = lock ? 'y' : 'n';
        static_cast<void>(!::write(ready[1], &byte, 1));
        ::close(done[1]);
        static_cast<void>(!::read(done[0], &byte, 1));  // until the parent closes its end
        ::_exit(0);
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ASSERT_EQ(byte, 'y');

    const std::string why = refusal(directory.url());

    EXPECT_NE(why.find("in use by process " + std::to_string(child)), std::string::npos) << why;
    EXPECT_NE(why.find("several processes need PostgreSQL"), std::string::npos);
    ::close(done[1]);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(open_database(directory.url()));
}

TEST(OpenDatabase, TwoNamesOfOneFileShareOneLock)
{
    const test::Directory directory;
    const auto first = open_or_fail(directory.url());
    std::filesystem::create_symlink(directory.file("test.db"), directory.file("other.db"));

    EXPECT_NE(refusal("sqlite:" + directory.file("other.db")).find("in use"), std::string::npos);
}

TEST(OpenDatabase, AFileWithTwoNamesIsRefusedByBoth)
{
    const test::Directory directory;
    open_or_fail(directory.url()).reset();
    std::filesystem::create_hard_link(directory.file("test.db"), directory.file("other.db"));

    for (const std::string name : {"test.db", "other.db"}) {
        const std::string why = refusal("sqlite:" + directory.file(name));
        EXPECT_NE(why.find("has 2 names (hard links)"), std::string::npos) << why;
        EXPECT_NE(why.find("find -samefile"), std::string::npos) << why;
    }
    std::filesystem::remove(directory.file("other.db"));
    EXPECT_TRUE(open_database(directory.url()));
}

TEST(OpenDatabase, AHardLinkMadeWhileItIsOpenLetsNobodyIn)
{
    const test::Directory directory;
    const auto first = open_or_fail(directory.url());
    std::filesystem::create_hard_link(directory.file("test.db"), directory.file("other.db"));

    EXPECT_NE(refusal("sqlite:" + directory.file("other.db")).find("names"), std::string::npos);
}

TEST(OpenDatabase, ALinkToNowhereIsRefusedAndMakesNothing)
{
    const test::Directory directory;
    std::filesystem::create_symlink(directory.file("test.db"), directory.file("other.db"));

    const std::string why = refusal("sqlite:" + directory.file("other.db"));

    EXPECT_NE(why.find("is a link to a file that does not exist"), std::string::npos) << why;
    EXPECT_FALSE(std::filesystem::exists(directory.file("test.db")));
    EXPECT_FALSE(std::filesystem::exists(directory.file("other.db.lock")));
}

TEST(OpenDatabase, ALinkedDirectorySharesTheLock)
{
    const test::Directory directory;
    std::filesystem::create_directory(directory.file("real"));
    std::filesystem::create_symlink(directory.file("real"), directory.file("linked"));
    const auto first = open_or_fail("sqlite:" + directory.file("real/test.db"));

    const std::string why = refusal("sqlite:" + directory.file("linked/test.db"));

    EXPECT_NE(why.find("in use"), std::string::npos) << why;
}

TEST(OpenDatabase, AFileMountedAloneIsRefused)
{
    const test::Directory directory;
    open_or_fail(directory.url()).reset();
    const std::string mount = directory.file("mounted.db");
    std::ofstream{mount}.flush();
    if (::mount(directory.file("test.db").c_str(), mount.c_str(), "", MS_BIND, nullptr) != 0) {
        GTEST_SKIP() << "mounting needs root";
    }

    const std::string why = refusal("sqlite:" + mount);

    EXPECT_NE(why.find("is mounted as a single file"), std::string::npos) << why;
    ::umount(mount.c_str());
}

class FileWatchTest : public testing::Test {
protected:
    std::string trouble()
    {
        const auto checked = watch_.check();
        return checked ? "none" : checked.error().detail;
    }

    const test::Directory directory_;
    const std::string path_ = directory_.file("test.db");
    std::unique_ptr<SqliteDatabase> database_ = open_or_fail(directory_.url());
    FileWatch watch_{path_};
};

TEST_F(FileWatchTest, AnUntouchedDatabaseHasNoTrouble)
{
    EXPECT_EQ(trouble(), "none");
    ASSERT_TRUE(database_->transact(sql("CREATE TABLE t (a INTEGER)")));
    EXPECT_EQ(trouble(), "none");
}

TEST_F(FileWatchTest, ADeletedDatabaseIsToldWithoutAWrite)
{
    std::filesystem::rename(path_, path_ + ".away");

    EXPECT_NE(trouble().find("was moved or deleted"), std::string::npos) << trouble();

    std::filesystem::rename(path_ + ".away", path_);
    EXPECT_EQ(trouble(), "none");
}

TEST_F(FileWatchTest, ACopyInItsPlaceIsAnotherFile)
{
    ASSERT_TRUE(database_->backup(path_ + ".copy"));
    std::filesystem::rename(path_, path_ + ".away");
    std::filesystem::rename(path_ + ".copy", path_);

    EXPECT_NE(trouble().find("was replaced while it was open"), std::string::npos) << trouble();

    std::filesystem::rename(path_ + ".away", path_);
    EXPECT_EQ(trouble(), "none");
}

TEST_F(FileWatchTest, ADeletedOrReplacedLockIsTold)
{
    std::filesystem::rename(path_ + ".lock", path_ + ".lock.away");
    EXPECT_NE(trouble().find("test.db.lock was deleted or replaced"), std::string::npos);

    std::ofstream{path_ + ".lock"}.flush();
    EXPECT_NE(trouble().find("start it again"), std::string::npos);

    std::filesystem::rename(path_ + ".lock.away", path_ + ".lock");
    EXPECT_EQ(trouble(), "none");
}

TEST_F(FileWatchTest, ADeletedLogIsToldAndAnOrderlyCloseSavesIt)
{
    ASSERT_TRUE(database_->transact(sql("CREATE TABLE t AS SELECT 7 AS a")));
    std::filesystem::remove(path_ + "-wal");

    EXPECT_NE(trouble().find("test.db-wal was deleted"), std::string::npos) << trouble();

    database_.reset();
    EXPECT_EQ(read_integer(*open_or_fail(directory_.url()), "SELECT a FROM t"), 7);
}

TEST(FileWatch, InMemoryThereIsNothingToWatch)
{
    EXPECT_TRUE(FileWatch{""}.check());
}

TEST(OpenDatabase, FileWithoutWriteRightsIsRefused)
{
    const test::Directory directory;
    open_or_fail(directory.url()).reset();
    ::chmod(directory.file("").c_str(), 0777);
    ::chmod(directory.file("test.db").c_str(), 0444);
    ::chmod(directory.file("test.db.lock").c_str(), 0666);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        // Root may write everything, so ask as somebody else.
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
        const auto opened = open_database(directory.url());
        const bool is_told = !opened && opened.error().code == Errc::misconfigured &&
                             opened.error().detail.find("cannot be written") != std::string::npos;
        ::_exit(is_told ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(OpenDatabase, AClockMarkThatNoClockEverShowedIsRefused)
{
    for (const char* const mark : {"9223372036854775807", "13569465600000001", "-1"}) {
        const test::Directory directory;
        open_or_fail(directory.url()).reset();
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(directory.file("test.db").c_str(), &raw), SQLITE_OK);
        const std::string damage = std::string{"UPDATE umavez_meta SET clock_mark = "} + mark;
        EXPECT_EQ(sqlite3_exec(raw, damage.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(raw);

        const auto opened = open_database(directory.url());

        ASSERT_FALSE(opened) << mark;
        EXPECT_EQ(opened.error().code, Errc::misconfigured);
        EXPECT_NE(opened.error().detail.find("clock_mark"), std::string::npos);
        EXPECT_NE(opened.error().detail.find(mark), std::string::npos);
        EXPECT_NE(opened.error().detail.find("restore a backup"), std::string::npos);
    }
}

TEST(OpenDatabase, ClockNeverFallsBehindWhatTheFileHasSeen)
{
    const test::Directory directory;
    test::HandClock clock;
    Instant before;
    const auto read_now = [](Instant& now) {
        return [&now](Transaction& transaction) -> Result<void> {
            now = transaction.now();
            return {};
        };
    };
    {
        const auto database = open_or_fail(directory.url(), {.clock = &clock});
        ASSERT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER)")));
        ASSERT_TRUE(database->transact(read_now(before)));
    }
    clock.set_realtime(before - std::chrono::hours{1});

    const auto database = open_or_fail(directory.url(), {.clock = &clock});

    Instant after;
    ASSERT_TRUE(database->transact(read_now(after)));
    EXPECT_GE(after, before);
    EXPECT_LT(after, before + std::chrono::minutes{1});
}

TEST(Migrations, AreAppliedOnceAndInOrder)
{
    const test::Directory directory;
    std::vector<Migration> migrations = {
        {"m", 1, "CREATE TABLE a (x INTEGER); CREATE TABLE b (x INTEGER)"}
    };
    auto database = open_or_fail(directory.url());
    ASSERT_TRUE(database->migrate(migrations));
    ASSERT_TRUE(database->migrate(migrations));
    migrations.push_back({"m", 2, "INSERT INTO a VALUES (1); INSERT INTO b VALUES (2)"});

    ASSERT_TRUE(database->migrate(migrations));

    EXPECT_EQ(
        read_integer(*database, "SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b)"), 2
    );
    const auto states = database->migration_state(migrations);
    ASSERT_EQ(states->size(), 1u);
    EXPECT_EQ(states->at(0).applied, 2);
}

TEST(Migrations, FailedStepLeavesNothingOfItself)
{
    const auto database = open_or_fail("sqlite::memory:");
    const std::vector<Migration> bad = {{"m", 1, "CREATE TABLE a (x INTEGER); SELEKT"}};

    const auto done = database->migrate(bad);

    ASSERT_FALSE(done);
    EXPECT_NE(done.error().detail.find("migration 1 of m"), std::string::npos);
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM sqlite_schema WHERE name = 'a'"), 0);
    EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM umavez_migrations"), 0);
}

TEST(Migrations, NewerSchemaIsRefused)
{
    const auto database = open_or_fail("sqlite::memory:");
    const std::vector<Migration> newer = {{"m", 1, "SELECT 1"}, {"m", 2, "SELECT 1"}};
    ASSERT_TRUE(database->migrate(newer));

    const auto done = database->migrate(std::span{newer}.first(1));

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::misconfigured);
    EXPECT_NE(done.error().detail.find("use the newer program"), std::string::npos);
}

TEST(Backup, IsACopyThatOpensAndNeverReplacesAFile)
{
    const test::Directory directory;
    const auto database = open_or_fail(directory.url());
    ASSERT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER)")));
    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (42)")));

    ASSERT_TRUE(database->backup(directory.file("copy.db")));

    EXPECT_FALSE(database->backup(directory.file("copy.db")));
    const auto copy = open_or_fail("sqlite:" + directory.file("copy.db"));
    EXPECT_EQ(read_integer(*copy, "SELECT a FROM t"), 42);
    EXPECT_FALSE(std::filesystem::exists(directory.file("copy.db.partial")));
}

TEST(Backup, ShowsOneMomentAlthoughItIsMadeInSteps)
{
    const test::Directory directory;
    const auto database = open_or_fail(directory.url());
    // Some 4 MiB, several steps.
    ASSERT_TRUE(database->transact(sql(
        "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000) "
        "SELECT i, zeroblob(1000) AS b FROM n"
    )));

    ASSERT_TRUE(database->backup(directory.file("copy.db")));

    const auto copy = open_or_fail("sqlite:" + directory.file("copy.db"));
    EXPECT_EQ(read_integer(*copy, "SELECT count(*) FROM t"), 4000);
}

TEST(Backup, AStopLeavesNothingBehind)
{
    const test::Directory directory;
    const auto database = open_or_fail(directory.url());
    std::stop_source stop;
    stop.request_stop();

    const auto stopped = database->backup(directory.file("copy.db"), stop.get_token());

    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, Errc::store_unavailable);
    EXPECT_FALSE(std::filesystem::exists(directory.file("copy.db")));
    EXPECT_FALSE(std::filesystem::exists(directory.file("copy.db.partial")));
}

TEST(Backup, WorksInMemory)
{
    const test::Directory directory;
    const auto database = open_or_fail("sqlite::memory:");
    ASSERT_TRUE(database->transact(sql("CREATE TABLE t AS SELECT 7 AS a")));

    ASSERT_TRUE(database->backup(directory.file("copy.db")));

    EXPECT_EQ(
        read_integer(*open_or_fail("sqlite:" + directory.file("copy.db")), "SELECT a FROM t"), 7
    );
}

TEST(DiskFull, IsToldAndGoesAwayWhenSpaceIsBack)
{
    const test::Directory directory;
    const std::string mount = directory.file("small");
    std::filesystem::create_directory(mount);
    if (::mount("tmpfs", mount.c_str(), "tmpfs", 0, "size=2m") != 0) {
        GTEST_SKIP() << "mounting a small disk needs root";
    }
    {
        const auto database = open_or_fail("sqlite:" + mount + "/test.db");
        ASSERT_TRUE(database->transact(sql("CREATE TABLE t (b BLOB)")));
        std::ofstream{mount + "/ballast"} << std::string(1 << 20, 'x');

        Result<void> done;
        int kept = 0;
        for (; kept < 100; ++kept) {
            done = database->transact(sql("INSERT INTO t VALUES (zeroblob(65536))"));
            if (!done) break;
        }

        ASSERT_FALSE(done);
        EXPECT_TRUE(is_retryable(done.error().code));
        EXPECT_NE(done.error().detail.find("no space left"), std::string::npos)
            << done.error().detail;
        EXPECT_FALSE(database->health().reachable && kept == 0);
        std::filesystem::remove(mount + "/ballast");
        EXPECT_TRUE(database->transact(sql("INSERT INTO t VALUES (zeroblob(65536))")));
        EXPECT_TRUE(database->health().reachable);
        EXPECT_EQ(read_integer(*database, "SELECT count(*) FROM t"), kept + 1);
    }
    ::umount(mount.c_str());
}

}  // namespace
}  // namespace umavez
