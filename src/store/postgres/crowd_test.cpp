#include "store/postgres/crowd.hpp"

#include <gtest/gtest.h>

namespace umavez::pg {
namespace {

using namespace std::chrono_literals;

constexpr Crowd::Time now{1h};

TEST(Crowd, ABatchTakesHalfOfTheCallers)
{
    Crowd crowd;
    crowd.see(64);
    EXPECT_EQ(crowd.share(), 32);
    crowd.see(101);
    EXPECT_EQ(crowd.share(), 51);
}

TEST(Crowd, AFewAreNotDivided)
{
    Crowd crowd;
    EXPECT_EQ(crowd.share(), 24);
    crowd.see(30);
    EXPECT_EQ(crowd.share(), 24);
}

TEST(Crowd, CallersThatWereJustAnsweredStillCount)
{
    Crowd crowd;
    crowd.see(64);
    crowd.see(32);
    EXPECT_EQ(crowd.share(), 30);
}

TEST(Crowd, IsForgottenWhenItHasGone)
{
    Crowd crowd;
    crowd.see(512);
    for (int i = 0; i < 100; ++i) crowd.see(1);
    EXPECT_EQ(crowd.share(), 24);
}

TEST(Crowd, ComesBackSoonAfterItsAnswer)
{
    Crowd crowd;
    EXPECT_EQ(crowd.returning(now), 0);
    crowd.on_answered(32, now);
    EXPECT_EQ(crowd.returning(now + 2ms), 32);
    EXPECT_EQ(crowd.returning(now + 3ms), 0);
}

TEST(Crowd, WhoWasAnsweredAloneIsNone)
{
    Crowd crowd;
    crowd.on_answered(32, now);
    crowd.on_answered(1, now);
    EXPECT_EQ(crowd.returning(now), 0);
}

}  // namespace
}  // namespace umavez::pg
