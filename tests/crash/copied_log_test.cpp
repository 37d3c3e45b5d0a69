// The log is copied into the database beside the lane while writes and flushes fail, for every n: a row whose
// insertion was told as done stays, also after a power cut, and the file is never corrupt.

#include "faulty_disk.hpp"
#include "plain_database.hpp"
#include "scale.hpp"
#include "support/calm_clock.hpp"
#include "support/wait.hpp"
#include "temporary_directory.hpp"

#include <umavez/umavez.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <set>
#include <stdexcept>

namespace umavez::crash {
namespace {

// A row has a page of its own, so that they make the log long enough for several copies.
constexpr int rows = 400;
constexpr int rows_between_cuts = 40;

class CopiedLog {
public:
    // False: there were not so many calls.
    bool meet(const FaultPlan& plan)
    {
        {
            const auto database = open();
            const auto table = [](Transaction& transaction) -> Result<void> {
                const auto made =
                    transaction.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT");
                return made ? Result<void>{} : Result<void>{std::unexpected(made.error())};
            };
            EXPECT_TRUE(database->transact(table));
            FaultyDisk::arm(plan);
            for (std::int64_t row = 1; row <= rows; ++row) {
                insert(*database, row);
                if (row % rows_between_cuts == 0) expect_all_after_power_cut("written");
            }
            std::int64_t row = rows;
            // A copy is made beside: where it is the first that fails, it is waited for.
            if (plan.is_of_database && plan.nth == 1) {
                test::wait_until("a copy of the log is flushed", [&] {
                    insert(*database, ++row);
                    return FaultyDisk::has_struck();
                });
            }
            FaultyDisk::heal();
            for (const std::int64_t last = row + rows; row < last;) insert(*database, ++row);
            expect_all_after_power_cut("healed");
        }
        expect_all_after_power_cut("closed");
        open().reset();
        expect_all_after_power_cut("opened again");
        return FaultyDisk::has_struck();
    }

private:
    std::unique_ptr<Database> open() const
    {
        // A lane that is busy would let its log become long: on this clock it never is.
        auto opened = open_database("sqlite:" + path_, {.clock = &test::calm_clock()});
        if (!opened) throw std::runtime_error{opened.error().detail};
        return *std::move(opened);
    }

    void insert(Database& database, std::int64_t row)
    {
        const auto done = database.transact([row](Transaction& transaction) -> Result<void> {
            const auto inserted =
                transaction.execute("INSERT INTO t (a, b) VALUES ($1, zeroblob(3500))", {row});
            return inserted ? Result<void>{} : Result<void>{std::unexpected(inserted.error())};
        });
        if (done) acknowledged_.insert(row);
    }

    void expect_all_after_power_cut(const char* when)
    {
        const std::string copy = directory_.path() + "/cut.db";
        std::filesystem::remove(copy + "-shm");
        FaultyDisk::cut_power(path_, copy);
        PlainDatabase left{copy};
        std::string soundness;
        left.each("PRAGMA integrity_check", [&](const Columns& line) { soundness += line.at(0); });
        EXPECT_EQ(soundness, "ok") << when;
        std::set<std::int64_t> lost = acknowledged_;
        left.each("SELECT a FROM t", [&](const Columns& row) {
            lost.erase(std::stoll(row.at(0)));
        });
        EXPECT_TRUE(lost.empty()) << when << ": " << lost.size() << " rows of "
                                  << acknowledged_.size() << " are lost, the first is "
                                  << *lost.begin();
    }

    const TemporaryDirectory directory_;
    const std::string path_ = directory_.path() + "/copied.db";
    std::set<std::int64_t> acknowledged_;
};

struct Trouble {
    const char* name;
    FaultPlan plan;
};

const Trouble troubles[] = {
    {"write_fails", {.call = Call::write, .code = SQLITE_IOERR_WRITE, .is_losing = true}},
    {"flush_fails", {.call = Call::flush, .code = SQLITE_IOERR_FSYNC}},
    {"flush_loses", {.call = Call::flush, .code = SQLITE_IOERR_FSYNC, .is_losing = true}},
    {"flush_of_copy_loses",
     {.call = Call::flush, .code = SQLITE_IOERR_FSYNC, .is_losing = true, .is_of_database = true}},
};

class CopiedLogTest : public ::testing::TestWithParam<Trouble> {
protected:
    void SetUp() override { FaultyDisk::install(); }
    void TearDown() override { FaultyDisk::heal(); }
};

TEST_P(CopiedLogTest, AcknowledgedRowsAreNeverLost)
{
    FaultPlan plan = GetParam().plan;
    // The database is flushed by copies alone, and not often.
    const bool is_every = is_torture() || plan.is_of_database;
    const std::uint64_t step = is_every ? 1 : is_sanitized ? 61 : 19;
    const std::uint64_t last = is_torture() || !plan.is_of_database ? 450 : is_sanitized ? 6 : 15;
    std::size_t struck = 0;

    for (plan.nth = 1; plan.nth <= last && !HasFailure(); plan.nth += step) {
        SCOPED_TRACE(fmt::format("{}, n = {}", GetParam().name, plan.nth));
        if (!CopiedLog{}.meet(plan)) break;
        ++struck;
    }

    EXPECT_GT(struck, plan.is_of_database ? 0u : 5u);
}

INSTANTIATE_TEST_SUITE_P(Every, CopiedLogTest, ::testing::ValuesIn(troubles), [](const auto& each) {
    return std::string{each.param.name};
});

}  // namespace
}  // namespace umavez::crash
