#include "engine/sweep_pace.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace umavez {
namespace {

using namespace std::chrono_literals;

// A store that needs `per_record` for each and lets every step wait for `wait` besides.
struct World {
    SweepPace pace;
    Duration per_record;
    Duration wait{0};
    Duration now{0};

    std::size_t step()
    {
        const std::size_t records = pace.batch(now);
        const Duration work = per_record * static_cast<Duration::rep>(records);
        now += wait + work;
        now += pace.rest_after({records, work}, now);
        return records;
    }

    std::size_t settled_batch()
    {
        for (int i = 0; i < 50; ++i) step();
        return step();
    }

    double swept_per_second()
    {
        const Duration began_at = now;
        std::size_t records = 0;
        while (now < began_at + 10s) records += step();
        return static_cast<double>(records) / std::chrono::duration<double>(now - began_at).count();
    }
};

SweepPace pace_of(double rate, bool one_writer = true, std::size_t batch_max = 500)
{
    return SweepPace{batch_max, one_writer, rate, 0s};
}

TEST(SweepPace, StepsAreSmallAndKeepTheRate)
{
    World sqlite{pace_of(2'000), 20us};
    EXPECT_NEAR(static_cast<double>(sqlite.settled_batch()), 5, 1);
    EXPECT_NEAR(sqlite.swept_per_second(), 2'000, 20);

    World postgres{pace_of(2'000, false), 50us};
    EXPECT_NEAR(static_cast<double>(postgres.settled_batch()), 20, 1);
    EXPECT_NEAR(postgres.swept_per_second(), 2'000, 20);
}

TEST(SweepPace, StepsThatHadToWaitAreLarger)
{
    World busy{pace_of(2'000), 20us, 12ms};

    EXPECT_NEAR(static_cast<double>(busy.settled_batch()), 24, 2);
    EXPECT_NEAR(busy.swept_per_second(), 2'000, 20);
}

TEST(SweepPace, WhatALongStopMissedIsNotMadeUpFor)
{
    World world{pace_of(2'000), 20us};
    world.settled_batch();

    world.now += 10s;

    EXPECT_LE(world.step(), 40u);
    EXPECT_NEAR(static_cast<double>(world.settled_batch()), 5, 1);
}

TEST(SweepPace, NoStepTakesMoreThanFitsIntoItsWork)
{
    EXPECT_EQ((World{pace_of(1e6), 20us}.settled_batch()), 100u);
    EXPECT_EQ((World{pace_of(1e6, false, 1'000), 20us}.settled_batch()), 500u);
    EXPECT_EQ((World{pace_of(1e6), 1us}.settled_batch()), 500u);
}

TEST(SweepPace, RestsAsLongAsItWorkedButNotForEver)
{
    EXPECT_NEAR((World{pace_of(1e6), 20us}.swept_per_second()), 25'000, 500);

    SweepPace pace = pace_of(2'000);
    EXPECT_EQ(pace.rest_after({10, 30ms}, 30ms), 30ms);
    EXPECT_EQ(pace.rest_after({10, 10s}, 11s), SweepPace::rest_max);
}

TEST(SweepPace, HighRateIsReachedWhereRecordsCostLittle)
{
    EXPECT_NEAR((World{pace_of(100'000), 1us}.swept_per_second()), 100'000, 2'000);
}

TEST(SweepPace, SlowStoreIsStillSweptAFewAtATime)
{
    EXPECT_EQ((World{pace_of(2'000), 10ms}.settled_batch()), SweepPace::batch_min_alone);
}

TEST(SweepPace, FarAwayServerIsSweptManyAtATime)
{
    SweepPace pace = pace_of(2'000, false);
    for (Duration now{0}; now < 10s; now += 40ms)
        pace.rest_after({pace.batch(now), 20ms}, now + 20ms);
    EXPECT_EQ(pace.batch(20s), SweepPace::batch_min_beside);
}

TEST(SweepPace, SmallBatchThatWasAskedForIsNotExceeded)
{
    EXPECT_EQ((World{pace_of(2'000, true, 5), 1us}.settled_batch()), 5u);
    EXPECT_EQ((World{pace_of(2'000, true, 5), 1s}.settled_batch()), 5u);
    EXPECT_NEAR((World{pace_of(2'000, true, 5), 1us}.swept_per_second()), 2'000, 20);
}

TEST(SweepPace, LowRateTakesOneAtATime)
{
    World slow{pace_of(10), 20us};
    EXPECT_EQ(slow.settled_batch(), 1u);
    EXPECT_NEAR(slow.swept_per_second(), 10, 1);
}

TEST(SweepPace, GrowsAtMostTwofoldAndShrinksAtOnce)
{
    SweepPace pace = pace_of(1e6);
    Duration now{0};
    const auto batch_after = [&](SweepStep step) {
        pace.rest_after(step, now);
        now += 1s;
        return pace.batch(now);
    };

    EXPECT_EQ(batch_after({10, 10us}), 20u);
    EXPECT_EQ(batch_after({20, 0us}), 40u);
    EXPECT_EQ(batch_after({40, 200ms}), SweepPace::batch_min_alone);
}

}  // namespace
}  // namespace umavez
