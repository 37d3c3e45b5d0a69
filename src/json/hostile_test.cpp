// Texts made to be expensive. Time is bounded through the work that is done: memory is counted at
// operator new, and everything here is linear in the text, or the test runs into its time limit.

#include "json/allocation_count_test.hpp"

#include <umavez/fingerprint.hpp>

#include <gtest/gtest.h>

#include <string>

namespace umavez {
namespace {

constexpr std::size_t megabyte = 1'000'000;

// What a fingerprint takes in all, freed or not.
std::size_t bytes_taken(std::string_view text)
{
    const std::size_t before = bytes_allocated();
    const auto fingerprint = fingerprint_json(text);
    return bytes_allocated() - before;
}

TEST(HostileJson, TenMillionOpenBracketsAreRefusedAtTheLimit)
{
    for (const std::string open : {"[", "{\"\":", "[{\"\":["}) {
        std::string text;
        while (text.size() < 10 * megabyte) text += open;

        EXPECT_FALSE(fingerprint_json(text));
        EXPECT_LT(bytes_taken(text), megabyte);
    }
}

TEST(HostileJson, DepthCostsNoStackEvenWithoutALimit)
{
    const std::string text = std::string(megabyte, '[') + std::string(megabyte, ']');

    EXPECT_EQ(canonical_json(text, text.size()), text);
}

TEST(HostileJson, AMegabyteOfDigitsIsRefusedWithoutACopy)
{
    const std::string digits(megabyte, '7');

    EXPECT_FALSE(fingerprint_json(digits));
    EXPECT_FALSE(fingerprint_json(digits + "e-5"));
    EXPECT_LT(bytes_taken(digits), megabyte);
}

TEST(HostileJson, AMegabyteOfFractionIsKeptExactly)
{
    const std::string digits(megabyte, '7');

    EXPECT_EQ(canonical_json("0." + digits), "7." + digits.substr(1) + "e-1");
    EXPECT_NE(
        fingerprint_json("0." + digits)->digest, fingerprint_json("0." + digits + "1")->digest
    );
    EXPECT_LT(bytes_taken("0." + digits), megabyte);
}

TEST(HostileJson, AMegabyteOfZerosIsNotExpanded)
{
    const std::string zeros(megabyte, '0');

    EXPECT_EQ(canonical_json("0." + zeros), "0");
    EXPECT_EQ(canonical_json("0." + zeros + "1"), "1e-1000001");
    EXPECT_EQ(canonical_json("0." + zeros + "1e1000001"), "1");
    EXPECT_EQ(canonical_json("1" + zeros + "e-1000000"), "1");
    EXPECT_EQ(canonical_json("1e" + zeros + "3"), "1000");
}

TEST(HostileJson, HugeExponentsAreRefusedOrKept)
{
    EXPECT_FALSE(fingerprint_json("1e400"));
    EXPECT_FALSE(fingerprint_json("1e401"));
    EXPECT_FALSE(fingerprint_json("1E999999999"));
    EXPECT_FALSE(fingerprint_json("1e" + std::string(megabyte, '9')));
    EXPECT_FALSE(fingerprint_json("1e-" + std::string(megabyte, '9')));
    EXPECT_EQ(canonical_json("1e-999999999"), "1e-999999999");
    EXPECT_EQ(canonical_json("1e-999999999999999"), "1e-999999999999999");
    EXPECT_FALSE(fingerprint_json("1e-1000000000000000"));
    EXPECT_EQ(canonical_json("-0e" + std::string(megabyte, '9')), "0");
}

TEST(HostileJson, ManyMembersAreSortedInReasonableTime)
{
    // Equal beginnings defeat the comparison by prefix, the descending order an insertion sort.
    std::string text = "{";
    for (int i = 199'999; i >= 100'000; --i)
        text += "\"same beginning " + std::to_string(i) + "\":0,";
    text.back() = '}';

    EXPECT_TRUE(fingerprint_json(text));
}

TEST(HostileJson, TheTreeOfManySmallValuesStaysProportional)
{
    std::string text = "[";
    while (text.size() < megabyte) text += "0,";
    text.back() = ']';

    // 12 bytes for each value of two, and what the growing vector had before.
    EXPECT_LT(bytes_taken(text), 20 * text.size());
}

}  // namespace
}  // namespace umavez
