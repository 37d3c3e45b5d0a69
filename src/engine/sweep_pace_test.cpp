#include "engine/sweep_pace.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;

// A store that needs `per_record` for each.
std::size_t settled_batch(Duration per_record, std::size_t batch_max = 500, bool one_writer = true)
{
    SweepPace pace{batch_max, one_writer};
    for (int i = 0; i < 20; ++i) {
        const auto records = pace.batch();
        pace.rest_after(records, per_record * static_cast<Duration::rep>(records));
    }
    return pace.batch();
}

TEST(SweepPace, StepsTakeAsManyAsFitIntoOneStep)
{
    EXPECT_EQ(settled_batch(20us), 100u);
    EXPECT_EQ(settled_batch(20us, 1'000, false), 500u);
    EXPECT_EQ(settled_batch(1us), 500u);
}

TEST(SweepPace, SlowStoreIsStillSweptAFewAtATime)
{
    EXPECT_EQ(settled_batch(10ms), SweepPace::batch_min);
}

TEST(SweepPace, SmallBatchThatWasAskedForIsNotExceeded)
{
    EXPECT_EQ((SweepPace{5, true}.batch()), 5u);
    EXPECT_EQ(settled_batch(1us, 5), 5u);
    EXPECT_EQ(settled_batch(1s, 5), 5u);
}

TEST(SweepPace, GrowsAtMostTwofoldAndShrinksAtOnce)
{
    SweepPace pace{500, true};

    pace.rest_after(50, 50us);
    EXPECT_EQ(pace.batch(), 100u);
    pace.rest_after(100, 0us);
    EXPECT_EQ(pace.batch(), 200u);

    pace.rest_after(200, 200ms);
    EXPECT_EQ(pace.batch(), SweepPace::batch_min);
}

TEST(SweepPace, RestsAsLongAsItWorkedButNotForEver)
{
    SweepPace pace{500, true};

    EXPECT_EQ(pace.rest_after(16, 3ms), 3ms);
    EXPECT_EQ(pace.rest_after(16, 10s), SweepPace::pause_max);
}

}  // namespace
}  // namespace umavez
