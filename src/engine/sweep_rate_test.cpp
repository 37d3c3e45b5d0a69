#include "engine/sweep_rate.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;

TEST(SweepRate, IsModestWhereLittleIsWritten)
{
    SweepRate rate;
    EXPECT_EQ(rate.update(0, 100s), SweepRate::least);
    EXPECT_EQ(rate.update(600, 101s), SweepRate::least);
}

TEST(SweepRate, IsAheadOfWhatIsWritten)
{
    SweepRate rate;
    rate.update(1'000'000, 100s);
    EXPECT_DOUBLE_EQ(rate.update(1'020'000, 102s), 12'500);
    EXPECT_EQ(rate.update(1'020'000, 104s), SweepRate::least);
}

TEST(SweepRate, IsNotTakenFromLessThanAWindow)
{
    SweepRate rate;
    rate.update(0, 100s);
    EXPECT_EQ(rate.update(100'000, 100s + 10ms), SweepRate::least);
    EXPECT_DOUBLE_EQ(rate.update(100'000, 101s), 125'000);
}

TEST(SweepRate, GrowsWhileThereIsAlwaysMoreToSweep)
{
    SweepRate rate;
    rate.on_pass(false, 100s);
    EXPECT_EQ(rate.update(0, 100s), SweepRate::least);
    rate.on_pass(false, 400s);
    EXPECT_NEAR(rate.update(0, 400s), 1.41 * SweepRate::least, 10);
    rate.on_pass(false, 700s);
    EXPECT_DOUBLE_EQ(rate.update(0, 700s), 2 * SweepRate::least);
    EXPECT_DOUBLE_EQ(rate.update(0, 100h), 16 * SweepRate::least);

    rate.on_pass(true, 100h);
    EXPECT_EQ(rate.update(0, 101h), SweepRate::least);
}

}  // namespace
}  // namespace umavez
