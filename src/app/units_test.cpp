#include "app/units.hpp"

#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace umavez {
namespace {

using namespace std::chrono_literals;

TEST(Units, DurationsHaveAWholeNumberAndAUnit)
{
    EXPECT_EQ(parse_duration("250ms"), Duration{250ms});
    EXPECT_EQ(parse_duration("30s"), Duration{30s});
    EXPECT_EQ(parse_duration("10min"), Duration{10min});
    EXPECT_EQ(parse_duration("24h"), Duration{24h});
    EXPECT_EQ(parse_duration("90d"), Duration{std::chrono::days{90}});
    EXPECT_EQ(parse_duration("36600d"), Duration{std::chrono::days{36600}});
    for (const char* const wrong :
         {"", "30", "s", "-1s", "1.5s", "30 s", "30x", "9223372036854775807d", "36601d", "forever"
         }) {
        EXPECT_FALSE(parse_duration(wrong)) << wrong;
    }
}

TEST(Units, ForeverIsARetention)
{
    EXPECT_EQ(*parse_retention("forever"), std::nullopt);
    EXPECT_EQ(*parse_retention("24h"), Duration{24h});
    EXPECT_FALSE(parse_retention("never"));
}

TEST(Units, SizesAreBinary)
{
    EXPECT_EQ(parse_size("1MiB"), std::size_t{1024 * 1024});
    EXPECT_EQ(parse_size("0B"), std::size_t{0});
    EXPECT_FALSE(parse_size("1MB"));
    EXPECT_FALSE(parse_size("1"));
}

TEST(Nearest, ASlipIsFoundAndNonsenseIsNot)
{
    const std::vector<std::string> known{"database", "listen", "http.threads"};

    EXPECT_EQ(find_nearest("lisen", known), "listen");
    EXPECT_EQ(find_nearest("databse", known), "database");
    EXPECT_EQ(find_nearest("zzzzzz", known), std::nullopt);
    EXPECT_EQ(find_nearest(std::string(100'000, 'x'), known), std::nullopt);
    EXPECT_EQ(suggestion("lisen", known), " (did you mean \"listen\"?)");
}

}  // namespace
}  // namespace umavez
