// A database that may not be written, or that is taken away: a clear error, and never a false
// answer.
//
// Root may write everything, so as root these tests act as the user nobody.

#include "audit.hpp"
#include "opened.hpp"
#include "temporary_directory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace umavez::crash {
namespace {

namespace fs = std::filesystem;
using ::testing::Test;

constexpr uid_t nobody = 65534;

class ReadOnlyTest : public Test {
protected:
    void SetUp() override
    {
        fs::create_directory(disk_);
        if (::geteuid() != 0) return;
        ASSERT_EQ(::chown(directory_.path().c_str(), nobody, static_cast<gid_t>(-1)), 0);
        ASSERT_EQ(::chown(disk_.c_str(), nobody, static_cast<gid_t>(-1)), 0);
        ASSERT_EQ(::seteuid(nobody), 0);
        is_nobody_ = true;
    }
    void TearDown() override
    {
        EXPECT_TRUE(!is_nobody_ || ::seteuid(0) == 0);
        ::chmod(disk_.c_str(), 0755);
    }

    std::string error_of_opening() const
    {
        const auto database = open_database("sqlite:" + path_);
        EXPECT_FALSE(database);
        return database ? "" : database.error().detail;
    }
    Opened open() const
    {
        // Leases that are longer than any stall.
        return Opened{
            {.database_directory = disk_, .ledger_directory = directory_.path()},
            {.lease = std::chrono::minutes{1}}
        };
    }

    // Answers are kept and durable, or say where the trouble is.
    void call_and_hear(Opened& opened, unsigned generation)
    {
        for (const Kind kind : {Kind::order, Kind::payment, Kind::slip, Kind::notice}) {
            const Intent intent{kind, generation, 0};
            const Answer answer = opened.call(intent);
            if (answer.response) {
                auditor_.acknowledge(intent.key(), answer.response->status, answer.response->body);
            } else {
                EXPECT_NE(answer.note.find(path_), std::string::npos) << answer.note;
            }
        }
    }

    void expect_in_order()
    {
        ASSERT_TRUE(fs::exists(path_));
        const auto complaints = auditor_.judge(Moment::after_death);
        EXPECT_TRUE(complaints.empty()) << to_text(complaints);
    }

    TemporaryDirectory directory_;
    const std::string disk_ = directory_.path() + "/disk";
    const std::string path_ = disk_ + "/crash.db";
    Auditor auditor_{directory_.path(), disk_};
    bool is_nobody_ = false;
};

TEST_F(ReadOnlyTest, OpeningAReadOnlyFileNamesItAndTheCure)
{
    {
        const Opened made = open();
    }
    ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);

    EXPECT_EQ(
        error_of_opening(), path_ + " cannot be written: check its owner, its mode and the mount"
    );
}

TEST_F(ReadOnlyTest, OpeningInAReadOnlyDirectoryNamesItAndTheCure)
{
    ASSERT_EQ(::chmod(disk_.c_str(), 0555), 0);

    const std::string error = error_of_opening();

    EXPECT_NE(error.find(path_), std::string::npos) << error;
    EXPECT_NE(error.find("the directory of the database must be writable"), std::string::npos)
        << error;
}

TEST_F(ReadOnlyTest, OpeningInAMissingDirectoryNamesItAndTheCure)
{
    fs::remove(disk_);

    const std::string error = error_of_opening();

    EXPECT_EQ(error, "the directory " + disk_ + "/ does not exist: create it, or choose another");
}

TEST_F(ReadOnlyTest, FileMadeReadOnlyWhileOpenGivesNoFalseAnswer)
{
    Opened opened = open();
    call_and_hear(opened, 0);
    ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
    ASSERT_EQ(::chmod(disk_.c_str(), 0555), 0);

    call_and_hear(opened, 1);
    expect_in_order();

    ASSERT_EQ(::chmod(disk_.c_str(), 0755), 0);
    ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
    const Answer after = opened.call_until_last({Kind::order, 2, 0});
    EXPECT_TRUE(after.response) << after.note;
    expect_in_order();
}

// Descriptors outlive their file: without care every answer from here on would go to nowhere.
TEST_F(ReadOnlyTest, DirectoryRemovedWhileOpenIsNoticed)
{
    Opened opened = open();
    call_and_hear(opened, 0);
    expect_in_order();
    fs::remove_all(disk_);

    for (const Kind kind : {Kind::order, Kind::payment, Kind::slip, Kind::notice}) {
        const Answer answer = opened.call({kind, 1, 0});
        EXPECT_FALSE(answer.response) << to_text(kind) << " was acknowledged";
        EXPECT_TRUE(answer.note.starts_with("unavailable")) << answer.note;
        EXPECT_NE(answer.note.find(path_), std::string::npos) << answer.note;
    }
    EXPECT_FALSE(opened.database().health().reachable);
}

TEST_F(ReadOnlyTest, FileMovedAwayWhileOpenIsNoticed)
{
    Opened opened = open();
    call_and_hear(opened, 0);
    fs::rename(path_, path_ + ".old");

    const Answer answer = opened.call({Kind::order, 1, 0});
    EXPECT_FALSE(answer.response) << "acknowledged into a file that nobody will open";

    fs::rename(path_ + ".old", path_);
    const Answer after = opened.call_until_last({Kind::order, 2, 0});
    ASSERT_TRUE(after.response) << after.note;
    auditor_.acknowledge("order-2-0", after.response->status, after.response->body);
    expect_in_order();
}

}  // namespace
}  // namespace umavez::crash
