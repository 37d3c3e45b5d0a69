#include "database/sqlite/log_plan.hpp"

#include "database/sqlite/lane_load.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;

constexpr int planned = 100'000;
constexpr double idle = 0.2;
constexpr double busy = 0.95;

// Batches of `work` with `gap` between them, for a second of both.
LaneLoad load_of(Duration work, Duration gap, LaneLoad load = {}, Duration now = 1h)
{
    for (const Duration end = now + 1s; now < end; now += work + gap)
        load.on_batch(now, now + work);
    return load;
}

TEST(LaneLoad, IsTheShareOfTimeSpentOnBatches)
{
    EXPECT_NEAR(load_of(1ms, 1ms).share(), 0.5, 0.02);
    EXPECT_NEAR(load_of(2ms, 0ms).share(), 1.0, 0.02);
    EXPECT_NEAR(load_of(1ms, 9ms).share(), 0.1, 0.02);
    EXPECT_EQ(LaneLoad{}.share(), 0);
}

TEST(LaneLoad, PauseSaysLittleAboutWhatComesAfterIt)
{
    LaneLoad load = load_of(2ms, 0ms);
    load.on_batch(10h, 10h + 2ms);
    EXPECT_GT(load.share(), 0.9);
    EXPECT_LT(load_of(1ms, 9ms, load, 11h).share(), 0.15);
}

TEST(LaneLoad, TimeSpentOnTheLogIsNoLoadAndNoRest)
{
    LaneLoad load;
    Duration now = 1h;
    for (int i = 0; i < 1000; ++i) {
        load.on_batch(now, now + 1ms);
        load.on_log_tended(now + 5ms);
        now += 6ms;
    }
    EXPECT_NEAR(load.share(), 0.5, 0.02);
}

TEST(LaneLoad, ClockThatStandsStillOrStepsBackChangesNothing)
{
    LaneLoad load;
    load.on_batch(1h, 1h);
    load.on_batch(1h, 1h - 1s);
    EXPECT_EQ(load.share(), 0);
}

TEST(LogPages, AreFewForALaneWithTimeToSpareAndManyForABusyOne)
{
    EXPECT_EQ(log_pages(0, planned), tuning::checkpoint_pages_idle);
    EXPECT_EQ(log_pages(0.5, planned), tuning::checkpoint_pages_idle);
    EXPECT_NEAR(log_pages(tuning::lane_busy - tuning::lane_busy_halving, planned), planned / 2, 1);
    EXPECT_EQ(log_pages(tuning::lane_busy, planned), planned);
    EXPECT_EQ(log_pages(1, planned), planned);
}

TEST(LogPages, NeverFallWithTheLoad)
{
    for (int percent = 1; percent <= 100; ++percent) {
        EXPECT_GE(log_pages(percent / 100.0, planned), log_pages((percent - 1) / 100.0, planned));
    }
}

TEST(LogPlan, FollowsTheLoadUntilTheLogStartsOver)
{
    LogPlan plan{planned};
    EXPECT_EQ(plan.due_at(busy), planned);
    EXPECT_EQ(plan.due_at(idle), tuning::checkpoint_pages_idle);

    plan.on_checkpoint(120, Checkpoint::tried);
    plan.on_restart(20'000);

    EXPECT_EQ(plan.due_at(idle), tuning::checkpoint_pages_idle);
    EXPECT_EQ(plan.due_at(busy), 20'000);
}

TEST(LogPlan, LogThatReadersHoldIsTriedAgainLater)
{
    LogPlan plan{planned};
    plan.on_checkpoint(120, Checkpoint::tried);
    EXPECT_EQ(plan.due_at(idle), 120 + tuning::checkpoint_pages_idle);
    EXPECT_EQ(plan.due_at(busy), 120 + tuning::checkpoint_pages_least);
}

TEST(LogPlan, InsistsSeldomAndOnlyOnALongLog)
{
    LogPlan plan{planned};
    const int late = planned + tuning::checkpoint_pages_late;
    EXPECT_FALSE(plan.is_late(late - 1));
    EXPECT_TRUE(plan.is_late(late));

    plan.on_checkpoint(late, Checkpoint::insisted);

    EXPECT_EQ(plan.due_at(idle), late + tuning::checkpoint_pages_least);
}

TEST(LogPlan, FullDiskIsTriedAgainSoon)
{
    LogPlan plan{planned};
    plan.on_checkpoint(planned, Checkpoint::no_room);
    EXPECT_EQ(plan.due_at(busy), planned + tuning::checkpoint_pages_again);
    EXPECT_EQ(plan.due_at(idle), planned + tuning::checkpoint_pages_idle);
}

}  // namespace
}  // namespace umavez
