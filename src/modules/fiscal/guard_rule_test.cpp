#include "modules/fiscal/guard_rule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace umavez::fiscal {
namespace {

using namespace std::chrono_literals;

constexpr Instant noon = from_micros(1'800'000'000'000'000);

TEST(GuardRule, ABurstAndThenOneAtATime)
{
    GuardState state;
    const GuardRule rule{.per_minute = 60, .burst = 3};

    for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask(state, rule, GuardedCall::enquiry, noon).is_given);
    const Permission fourth = ask(state, rule, GuardedCall::enquiry, noon);

    EXPECT_FALSE(fourth.is_given);
    EXPECT_FALSE(fourth.is_blocked);
    EXPECT_EQ(fourth.wait, 1s);
    EXPECT_TRUE(ask(state, rule, GuardedCall::enquiry, noon + 1s).is_given);
}

TEST(GuardRule, WhatAnEnquiryExchangedIsCountedAfterwards)
{
    GuardState state;
    const GuardRule rule{.per_minute = 60, .burst = 3};
    EXPECT_TRUE(ask(state, rule, GuardedCall::enquiry, noon).is_given);
    charge(state, rule, 4, noon);

    EXPECT_EQ(ask(state, rule, GuardedCall::enquiry, noon).wait, 3s);
    EXPECT_TRUE(ask(state, rule, GuardedCall::enquiry, noon + 3s).is_given);
    GuardState unlimited;
    charge(unlimited, {.per_minute = 0}, 4, noon);
    charge(unlimited, rule, -1, noon);
    EXPECT_EQ(unlimited, GuardState{});
}

TEST(GuardRule, WhatChangesSomethingIsNotCounted)
{
    GuardState state;
    const GuardRule rule{.per_minute = 1, .burst = 1};
    EXPECT_TRUE(ask(state, rule, GuardedCall::enquiry, noon).is_given);

    EXPECT_TRUE(ask(state, rule, GuardedCall::change, noon).is_given);
    EXPECT_FALSE(ask(state, rule, GuardedCall::enquiry, noon).is_given);
}

TEST(GuardRule, ABlockStopsEverythingAndBeginsAnew)
{
    GuardState state;
    const GuardRule rule{.per_minute = 0};
    block(state, {}, 1h, noon);

    const Permission refused = ask(state, rule, GuardedCall::change, noon + 59min);
    EXPECT_TRUE(refused.is_blocked);
    EXPECT_EQ(refused.wait, 1min);
    block(state, {}, 1h, noon + 59min);
    EXPECT_FALSE(ask(state, rule, GuardedCall::enquiry, noon + 61min).is_given);
    EXPECT_TRUE(ask(state, rule, GuardedCall::enquiry, noon + 59min + 1h).is_given);
}

TEST(GuardRule, AShorterBlockDoesNotEndALongerOne)
{
    GuardState state;
    block(state, {}, 1h, noon);
    block(state, 1s, 1h, noon);

    EXPECT_FALSE(ask(state, {}, GuardedCall::change, noon + 30min).is_given);
}

TEST(GuardRule, TheAuthoritysWishWinsUnlessItIsNone)
{
    GuardState wished;
    block(wished, 2h, 1h, noon);
    EXPECT_EQ(wished.blocked_until, noon + 2h);

    GuardState hasty;
    block(hasty, 0s, 1h, noon);
    EXPECT_EQ(hasty.blocked_until, noon + 1h);
}

// Whatever the times, no window has more than the burst and what the rate gives.
RC_GTEST_PROP(GuardRuleProperties, NoWindowHasMoreThanTheRateAllows, ())
{
    const GuardRule rule{
        .per_minute = *rc::gen::inRange<std::int64_t>(1, 600),
        .burst = *rc::gen::inRange<std::int64_t>(1, 20),
    };
    const auto gaps =
        *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 3'000'000)
        );
    GuardState state;
    std::vector<Instant> given;
    Instant now = noon;
    for (const std::int64_t gap : gaps) {
        now += Duration{gap};
        if (ask(state, rule, GuardedCall::enquiry, now).is_given) given.push_back(now);
    }
    const Duration interval = Duration{1min} / rule.per_minute;
    for (std::size_t i = 0; i < given.size(); ++i) {
        for (std::size_t j = i; j < given.size(); ++j) {
            const auto count = static_cast<std::int64_t>(j - i + 1);
            RC_ASSERT(count <= rule.burst + (given[j] - given[i]) / interval);
        }
    }
}

}  // namespace
}  // namespace umavez::fiscal
