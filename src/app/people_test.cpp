#include "app/people.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;

const Instant now = from_micros(1'700'000'000'123'456);

TEST(People, TimesAreDistances)
{
    EXPECT_EQ(to_distance(now, now), "just now");
    EXPECT_EQ(to_distance(now - 999ms, now), "just now");
    EXPECT_EQ(to_distance(now - 3min - 59s, now), "3 min ago");
    EXPECT_EQ(to_distance(now - 49h, now), "2 d ago");
    EXPECT_EQ(to_distance(now + 5s, now), "in 5 s");
    EXPECT_EQ(to_distance(now + 90min, now), "in 1 h");
}

TEST(People, ColumnsAreAsWideAsTheirWidestCharacters)
{
    EXPECT_EQ(
        to_columns({"A", "B"}, {{{"é"}, {"x"}}, {{"long"}, {"y"}}}), "A     B\né     x\nlong  y\n"
    );
    EXPECT_EQ(to_columns({"A"}, {}), "");
}

}  // namespace
}  // namespace umavez
