#include "work/retry_delay.hpp"

#include <gtest/gtest.h>

namespace umavez::work {
namespace {

using namespace std::chrono_literals;

constexpr RetryRule rule{.first = 2s, .longest = 60s, .attempts_max = 5};

TEST(RetryDelay, IsUniformBelowABoundThatDoubles)
{
    EXPECT_EQ(retry_delay(rule, 1, 0.0), 0s);
    EXPECT_EQ(retry_delay(rule, 1, 0.5), 1s);
    EXPECT_EQ(retry_delay(rule, 2, 0.5), 2s);
    EXPECT_EQ(retry_delay(rule, 3, 0.5), 4s);
    EXPECT_EQ(retry_delay(rule, 5, 0.5), 16s);
}

TEST(RetryDelay, NeverPassesTheLongest)
{
    EXPECT_EQ(retry_delay(rule, 6, 0.5), 30s);
    EXPECT_EQ(retry_delay(rule, 4'000'000'000U, 0.5), 30s);
}

}  // namespace
}  // namespace umavez::work
