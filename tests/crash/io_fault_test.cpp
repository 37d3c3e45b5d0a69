// Failing writes and flushes (S-02), for every n: an answer that was given stays, also after a
// power cut; the file is never corrupt; the same process goes on when the disk does.

#include "audit.hpp"
#include "faulty_disk.hpp"
#include "opened.hpp"
#include "scale.hpp"
#include "temporary_directory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <iostream>

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;

struct Trouble {
    std::string name;
    FaultPlan plan;
};

const std::vector<Trouble> troubles = {
    {"write_fails", {.call = Call::write, .code = SQLITE_IOERR_WRITE}},
    {"write_is_short_and_full", {.call = Call::write, .code = SQLITE_FULL, .is_losing = true}},
    {"write_fails_until_healed",
     {.call = Call::write, .code = SQLITE_IOERR_WRITE, .is_lasting = true, .is_losing = true}},
    {"disk_is_full_until_healed", {.call = Call::write, .code = SQLITE_FULL, .is_lasting = true}},
    {"flush_fails", {.call = Call::flush, .code = SQLITE_IOERR_FSYNC}},
    {"flush_fails_and_loses", {.call = Call::flush, .code = SQLITE_IOERR_FSYNC, .is_losing = true}},
    {"flush_fails_until_healed",
     {.call = Call::flush, .code = SQLITE_IOERR_FSYNC, .is_lasting = true}},
    {"flush_loses_until_healed",
     {.call = Call::flush, .code = SQLITE_IOERR_FSYNC, .is_lasting = true, .is_losing = true}},
};

const std::vector<Intent> intents = {
    {Kind::order, 0, 0},
    {Kind::payment, 0, 0},
    {Kind::order, 0, 4},
    {Kind::slip, 0, 0},
    {Kind::notice, 0, 0},
    {Kind::order, 0, 1},
};

class IoFaultTest : public ::testing::TestWithParam<std::size_t> {
protected:
    // One database that meets its n-th fault. False: there were not so many calls.
    class Life {
    public:
        explicit Life(FaultPlan plan) : plan_(plan) {}

        bool run()
        {
            {
                Opened opened{places_, timing, options()};
                FaultyDisk::arm(plan_);
                serve(opened);
                FaultyDisk::heal();
                // The same process goes on, without a restart.
                for (const Intent& intent : intents)
                    hear(intent, opened.call_until_last(intent), true);
                judge_power_cut("healed");
            }
            judge_power_cut("closed");
            Opened again{places_, timing, options()};
            for (const Intent& intent : intents) hear(intent, again.call_until_last(intent), true);
            return FaultyDisk::has_struck();
        }

    private:
        static constexpr Timing timing{.lease = 60ms, .settle = 10ms};
        static EngineOptions options()
        {
            return {.worker_period = std::nullopt, .store_patience = 40ms};
        }

        void serve(Opened& opened)
        {
            for (const Intent& intent : intents) {
                const bool had_struck = FaultyDisk::has_struck();
                hear(intent, opened.call(intent), false);
                if (FaultyDisk::has_struck() && !had_struck) judge_power_cut("struck");
            }
        }

        void hear(const Intent& intent, const Answer& answer, bool must_end)
        {
            if (answer.response) {
                auditor_.acknowledge(intent.key(), answer.response->status, answer.response->body);
            } else if (must_end) {
                const bool may_be_held = intent.kind == Kind::notice && answer.is_last;
                EXPECT_TRUE(may_be_held) << intent.key() << ": " << answer.note;
            }
        }

        void judge_power_cut(const char* when)
        {
            const std::string copy = directory_.path() + "/cut.db";
            std::filesystem::remove(copy + "-shm");
            FaultyDisk::cut_power(directory_.path() + "/crash.db", copy);
            const auto complaints = auditor_.judge_copy(copy, Moment::after_death);
            EXPECT_TRUE(complaints.empty()) << when << ":\n" << to_text(complaints);
        }

        const FaultPlan plan_;
        TemporaryDirectory directory_;
        const Places places_{directory_.path(), directory_.path()};
        Auditor auditor_{directory_.path()};
    };

    void SetUp() override { FaultyDisk::install(); }
    void TearDown() override { FaultyDisk::heal(); }
};

TEST_P(IoFaultTest, AcknowledgedIsNeverLostAndTheDatabaseRecovers)
{
    FaultPlan plan = troubles[GetParam()].plan;
    const bool is_write = plan.call == Call::write;
    const std::uint64_t last = is_torture() ? 1000 : is_write ? 48 : 14;
    const std::uint64_t step = is_torture() ? 1 : is_sanitized ? 5 : is_write ? 3 : 1;
    std::size_t lives = 0;

    for (plan.nth = 1; plan.nth <= last && !HasFailure(); plan.nth += step) {
        SCOPED_TRACE(fmt::format("{}, n = {}", troubles[GetParam()].name, plan.nth));
        if (!Life{plan}.run()) break;
        ++lives;
    }

    std::cout << fmt::format("{}: {} databases struck\n", troubles[GetParam()].name, lives);
    EXPECT_GT(lives, 0u);
}

TEST_P(IoFaultTest, OpeningReportsTheFaultOrSurvivesIt)
{
    FaultPlan plan = troubles[GetParam()].plan;
    const std::uint64_t step = is_torture()               ? 1
                               : is_sanitized             ? 13
                               : plan.call == Call::write ? 7
                                                          : 2;

    for (plan.nth = 1; plan.nth <= 400 && !HasFailure(); plan.nth += step) {
        SCOPED_TRACE(fmt::format("{}, n = {}", troubles[GetParam()].name, plan.nth));
        const TemporaryDirectory directory;
        const Places places{directory.path(), directory.path()};
        FaultyDisk::arm(plan);
        try {
            const Opened opened{places};
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string{error.what()}.find(directory.path()), std::string::npos)
                << error.what();
        }
        const bool has_struck = FaultyDisk::has_struck();
        FaultyDisk::heal();

        Opened again{places};
        EXPECT_TRUE(again.call({Kind::order, 0, 0}).response);
        if (!has_struck) break;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Every,
    IoFaultTest,
    ::testing::Range(std::size_t{0}, troubles.size()),
    [](const auto& each) { return troubles[each.param].name; }
);

}  // namespace
}  // namespace umavez::crash
