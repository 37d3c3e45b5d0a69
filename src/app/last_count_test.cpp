#include "app/last_count.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;

TEST(LastCount, IsAskedForAgainAfterFiftyTimesWhatItTook)
{
    LastCount last;
    EXPECT_FALSE(last.get(0s)) << "nothing was counted yet";
    last.put({{.status = Status::succeeded, .records = 7}}, 10s, 11s);

    const auto kept = last.get(60s);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->at(0).records, 7u);
    EXPECT_FALSE(last.get(61s));
}

TEST(LastCount, OneThatIsCheapIsAlwaysMadeAnew)
{
    LastCount last;
    last.put({}, 10'000ms, 10'100ms);

    EXPECT_FALSE(last.get(10'100ms));
}

}  // namespace
}  // namespace umavez
