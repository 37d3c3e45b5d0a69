// JSON texts, shown texts and UUIDs: what other programs read must be well formed whatever went in.

#include "base/json_text.hpp"
#include "base/rfc3339.hpp"
#include "base/shown.hpp"
#include "base/uuid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez {
namespace {

TEST(JsonText, QuotesBackslashesAndControlsAreEscaped)
{
    EXPECT_EQ(to_json_text("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
}

TEST(JsonText, BytesThatAreNotUtf8BecomeTheReplacementCharacter)
{
    EXPECT_EQ(
        to_json_text("\xff"
                     "a\xc3"),
        R"("\ufffda\ufffd")"
    );
}

TEST(JsonText, ACutNeverSplitsACharacter)
{
    std::string out;

    append_json_text(out, "aé€", 3);

    EXPECT_EQ(out, "\"aé…\"");
}

TEST(Shown, ShortTextIsItself)
{
    EXPECT_EQ(shown(""), "");
    EXPECT_EQ(shown("/var/lib/Zoë.db"), "/var/lib/Zoë.db");
}

TEST(Shown, LongTextKeepsBothEndsAndItsSize)
{
    const std::string text = "/begin/" + std::string(70'000, 'a') + "/end";

    const std::string cut = shown(text);

    EXPECT_LT(cut.size(), shown_bytes_max);
    EXPECT_THAT(cut, testing::StartsWith("/begin/aaa"));
    EXPECT_THAT(cut, testing::EndsWith("aaa/end (70011 bytes)"));
}

TEST(Shown, ACutNeverSplitsACharacter)
{
    for (const std::string start : {"", "a", "ab"}) {
        std::string text = start;
        for (int i = 0; i < 200; ++i) text += "€";

        EXPECT_THAT(shown(text), testing::Not(testing::HasSubstr("?"))) << start;
    }
}

TEST(Shown, WhatSteersATerminalIsReplaced)
{
    EXPECT_EQ(shown("a\x1b[31m\nb\x7f"), "a?[31m?b?");
    EXPECT_EQ(
        shown("a\x9b"
              "31m"),
        "a?31m"
    );
    EXPECT_EQ(
        shown("a\xc2\x9b"
              "31mé"),
        "a?31mé"
    );
}

TEST(Uuid7, HasTheLayoutOfRfc9562)
{
    struct Fixed final : Random {
        std::uint64_t next() override { return ~std::uint64_t{0}; }
    } random;

    const std::string made = make_uuid7(from_micros(0x017f22e279b0 * 1000), random);

    EXPECT_EQ(made, "017f22e2-79b0-7fff-bfff-ffffffffffff");
}

TEST(Uuid7, TwoOfOneInstantDiffer)
{
    const Instant now = from_micros(1);

    EXPECT_NE(make_uuid7(now, system_random()), make_uuid7(now, system_random()));
}

TEST(Rfc3339, InstantsGoThereAndBack)
{
    for (const std::int64_t micros : {0LL, 1'700'000'000'123'456LL, 4'102'444'799'999'999LL}) {
        EXPECT_EQ(parse_rfc3339(to_rfc3339(from_micros(micros))), from_micros(micros));
    }
}

TEST(Rfc3339, WhatTheFormCannotSayIsTheNearestThatItCan)
{
    EXPECT_EQ(to_rfc3339(from_micros(-1)), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(to_rfc3339(Instant::max()), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(to_rfc3339(Instant::min()), "0000-01-01T00:00:00.000000Z");
}

TEST(Rfc3339, AnotherFormOrATimeThatDoesNotExistIsNone)
{
    for (const char* const text :
         {"",
          "2026",
          "2026-13-01T00:00:00.000000Z",
          "2026-02-29T00:00:00.000000Z",
          "2026-01-01 00:00:00.000000Z",
          "2026/01/01T00:00:00.000000Z",
          "2026-01-01T24:00:00.000000Z",
          "2026-01-01T00:60:00.000000Z",
          "2026-01-01T00:00:60.000000Z",
          "2026-01-01T00.00.00.000000Z",
          "-026-01-01T00:00:00.000000Z",
          "2026-01-01T00:00:00.-00000Z",
          "2026-01-01T00:00:00.000000z"}) {
        EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace umavez
