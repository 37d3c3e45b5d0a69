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
    EXPECT_EQ(plan.due_at(busy), 120 + tuning::checkpoint_pages_held);
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

// Beside the lane ------------------------------------------------------------------------------------

LogSight sight(int pages, double share, bool others_wait = false)
{
    return {.pages = pages, .share = share, .others_wait = others_wait, .has_copier = true};
}

// All there was, and `came` pages meanwhile.
CopiedBeside copied(int pages, int came = 0)
{
    return {.pages = pages, .copied = pages, .now = pages + came};
}

TEST(LogPlan, CopiesBesideTheLaneAsOftenAsTheLoadWants)
{
    LogPlan plan{planned};
    constexpr int step = tuning::checkpoint_pages_idle;
    EXPECT_EQ(plan.next(sight(step - 1, idle)), LogStep::none);
    EXPECT_EQ(plan.next(sight(step, idle)), LogStep::copy_beside);
    EXPECT_EQ(plan.next(sight(step, idle, true)), LogStep::copy_beside);  // nobody waits for it

    plan.on_copied(copied(step));

    EXPECT_EQ(plan.next(sight(2 * step - 1, idle)), LogStep::none);
    EXPECT_EQ(plan.next(sight(2 * step, idle)), LogStep::copy_beside);
    EXPECT_EQ(plan.next(sight(2 * step, busy)), LogStep::none);
}

TEST(LogPlan, WithoutACopierTheLaneCopiesAndThoseWhoWaitGoFirst)
{
    const LogPlan plan{planned};
    LogSight log = sight(tuning::checkpoint_pages_idle, idle);
    log.has_copier = false;
    EXPECT_EQ(plan.next(log), LogStep::copy_here);
    log.others_wait = true;
    EXPECT_EQ(plan.next(log), LogStep::none);
    log.pages += tuning::checkpoint_pages_put_off;
    EXPECT_EQ(plan.next(log), LogStep::copy_here);
}

TEST(LogPlan, LaneCopiesTheLittleThatIsLeftOfALongLog)
{
    LogPlan plan{planned};
    constexpr int length = tuning::log_pages_before_restart;
    plan.on_copied(copied(length - 10));
    EXPECT_EQ(plan.next(sight(length - 1, idle)), LogStep::none);
    EXPECT_EQ(plan.next(sight(length, idle)), LogStep::copy_here);
    EXPECT_EQ(plan.next(sight(length, idle, true)), LogStep::none);

    plan.on_checkpoint(length, Checkpoint::tried);
    plan.on_restart(planned);

    EXPECT_EQ(plan.next(sight(1, idle)), LogStep::none);
}

TEST(LogPlan, MuchThatCameDuringACopyIsCopiedBesideTheLaneWhileItGetsLess)
{
    LogPlan plan{planned};
    constexpr int little = tuning::rest_pages_for_lane;
    EXPECT_EQ(plan.next(sight(planned, busy)), LogStep::copy_beside);
    plan.on_copied(copied(planned, 10'000));
    EXPECT_EQ(plan.next(sight(planned + 10'000, busy)), LogStep::copy_beside);
    plan.on_copied(copied(planned + 10'000, 9'000));
    EXPECT_EQ(plan.next(sight(planned + 19'000, busy)), LogStep::copy_beside);
    plan.on_copied(copied(planned + 19'000, 9'000));  // as much as it copied: no end to it
    EXPECT_EQ(plan.next(sight(planned + 28'000, busy)), LogStep::copy_here);
    EXPECT_EQ(plan.next(sight(planned + 19'000 + little, busy)), LogStep::copy_here);
}

// The last copy was a small step, and more came during it than it copied.
TEST(LogPlan, LaneThatBecomesBusyDoesNotCopyTheWholeLogItself)
{
    LogPlan plan{planned};
    plan.on_copied(copied(tuning::checkpoint_pages_idle, 300));
    EXPECT_EQ(plan.next(sight(planned - 1, busy)), LogStep::none);
    EXPECT_EQ(plan.next(sight(planned, busy)), LogStep::copy_beside);
    EXPECT_EQ(plan.uncopied(planned), planned - tuning::checkpoint_pages_idle);
}

TEST(LogPlan, ReaderThatHoldsTheLogIsNotAskedAtEveryStep)
{
    LogPlan plan{planned};
    constexpr int step = tuning::checkpoint_pages_idle;
    const CopiedBeside held{.pages = 5'000, .copied = 20, .now = 5'000};
    plan.on_copied(held);
    EXPECT_EQ(plan.next(sight(5'000, idle)), LogStep::copy_beside);  // perhaps it is gone
    for (int i = 0; i < 3; ++i) {
        const int pages = 5'000 + i * step;
        plan.on_copied({.pages = pages, .copied = 20, .now = pages});
        EXPECT_EQ(plan.next(sight(pages + step - 1, idle)), LogStep::none);
        EXPECT_EQ(plan.next(sight(pages + step, idle)), LogStep::copy_beside);
    }
    EXPECT_EQ(plan.next(sight(planned + tuning::checkpoint_pages_late, busy)), LogStep::insist);
}

TEST(LogPlan, ReaderThatIsGoneLetsTheCopiesGoOn)
{
    LogPlan plan{planned};
    const CopiedBeside held{.pages = 5'000, .copied = 20, .now = 5'000};
    plan.on_copied(held);
    plan.on_copied(held);

    plan.on_copied(copied(5'100, 10));

    EXPECT_EQ(plan.uncopied(5'110), 10);
    EXPECT_EQ(plan.next(sight(5'110, idle)), LogStep::copy_here);
}

}  // namespace
}  // namespace umavez
