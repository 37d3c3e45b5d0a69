#include "outbound/retry_after.hpp"

#include <gtest/gtest.h>

namespace umavez::outbound {
namespace {

using namespace std::chrono_literals;

TEST(RetryAfterTest, SecondsAndDates)
{
    const Instant now{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};
    EXPECT_EQ(parse_retry_after("120", now), 120s);
    EXPECT_EQ(parse_retry_after("0", now), 0s);
    EXPECT_EQ(parse_retry_after("Sat, 31 Jan 2026 12:00:30 GMT", now), 30s);
    EXPECT_EQ(parse_retry_after("Sat, 31 Jan 2026 11:59:00 GMT", now), 0s);
    EXPECT_EQ(parse_retry_after("86401", now), 24h);
    EXPECT_EQ(parse_retry_after("99999999999999999999999", now), 24h);
    EXPECT_EQ(parse_retry_after("Sat, 31 Jan 2099 11:59:00 GMT", now), 24h);
    for (const char* const text : {"", "soon", "-5", "1.5"}) {
        EXPECT_FALSE(parse_retry_after(text, now)) << text;
    }
}

}  // namespace
}  // namespace umavez::outbound
