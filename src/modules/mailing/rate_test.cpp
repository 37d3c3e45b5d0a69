#include "modules/mailing/rate.hpp"

#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

using namespace std::chrono_literals;

TEST(Rate, WithoutALimitEverybodyGoesAtOnce)
{
    Rate rate{0};
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(rate.reserve(5s), 5s);
}

TEST(Rate, PlacesAreEven)
{
    Rate rate{2};
    EXPECT_EQ(rate.reserve(100s), 100s);
    EXPECT_EQ(rate.reserve(100s), 100s + 500ms);
    EXPECT_EQ(rate.reserve(100s), 101s);
    EXPECT_EQ(rate.reserve(101s + 400ms), 101s + 500ms);
}

TEST(Rate, WhatWasNotUsedForLongIsNotMadeUpFor)
{
    Rate rate{10};
    EXPECT_EQ(rate.reserve(100s), 100s);
    int at_once = 0;
    while (rate.reserve(200s) == 200s) ++at_once;
    EXPECT_EQ(at_once, 1);
}

TEST(Rate, ALateThreadMakesUpForATenthOfASecond)
{
    Rate rate{1000};
    int in_a_second = 0;
    Duration now = 100s;
    for (Duration next = rate.reserve(now); now < 101s; next = rate.reserve(now)) {
        ++in_a_second;
        now = std::max(now, next) + (in_a_second % 10 == 0 ? 3ms : 0ms);  // woken late
    }
    EXPECT_NEAR(in_a_second, 1000, 101);
}

}  // namespace
}  // namespace umavez::mailing
