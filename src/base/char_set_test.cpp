#include "base/char_set.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

constexpr CharSet digits{[](unsigned char byte) { return byte >= '0' && byte <= '9'; }};
constexpr CharSet high{[](unsigned char byte) { return byte >= 0x80; }};

TEST(CharSet, CountsTheFirstOnes)
{
    EXPECT_EQ(digits.count_first(""), 0u);
    EXPECT_EQ(digits.count_first("12a3"), 2u);
    EXPECT_EQ(digits.count_first("123"), 3u);
    EXPECT_TRUE(digits.has_all(""));
    EXPECT_TRUE(digits.has_all("0123456789"));
    EXPECT_FALSE(digits.has_all("12 "));
}

TEST(CharSet, TakesEveryByteForWhatItIs)
{
    for (int byte = 0; byte < 256; ++byte) {
        const auto c = static_cast<char>(byte);
        EXPECT_EQ(high.has(c), byte >= 0x80) << byte;
        EXPECT_EQ(digits.has(c), byte >= '0' && byte <= '9') << byte;
    }
}

TEST(CharSet, IsMadeOfPredicates)
{
    EXPECT_TRUE(is_among("-._", '_'));
    EXPECT_FALSE(is_among("-._", 'a'));
    EXPECT_FALSE(is_among("", 0));
    EXPECT_TRUE(is_letter_or_digit('Z'));
    EXPECT_FALSE(is_letter_or_digit(0xe7));
}

}  // namespace
}  // namespace umavez
