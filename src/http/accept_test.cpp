#include "http/accept.hpp"

#include <gtest/gtest.h>

#include <array>

namespace umavez::http {
namespace {

constexpr std::array<std::string_view, 2> offered{"application/json", "text/html"};

std::string_view chosen(std::string wish)
{
    return offered[choose_media_type({{"accept", std::move(wish)}}, offered)];
}

TEST(Accept, TheHigherQualityWins)
{
    EXPECT_EQ(chosen("text/html"), "text/html");
    EXPECT_EQ(chosen("Text/HTML;q=0.9, application/json;q=0.8"), "text/html");
    EXPECT_EQ(
        chosen("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), "text/html"
    );
    EXPECT_EQ(chosen("text/*"), "text/html");
    EXPECT_EQ(chosen("text/html;q=0.1, application/*;q=0.2"), "application/json");
}

TEST(Accept, TheClosestRangeSpeaksForAType)
{
    EXPECT_EQ(chosen("application/json;q=0, */*"), "text/html");
    EXPECT_EQ(chosen("*/*;q=0.1, text/*;q=0, application/json;q=0.05"), "application/json");
}

TEST(Accept, OtherwiseTheFirstOffered)
{
    EXPECT_EQ(offered[choose_media_type({}, offered)], "application/json");
    for (const char* const wish :
         {"", "*/*", "image/png", "text/html;q=x", "text/html;q=0", ",;"}) {
        EXPECT_EQ(chosen(wish), "application/json") << wish;
    }
}

}  // namespace
}  // namespace umavez::http
