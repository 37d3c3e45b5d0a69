#include "base/digest.hpp"

#include <umavez/fingerprint.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace umavez {
namespace {

Digest json(std::string_view text)
{
    const auto fingerprint = fingerprint_json(text);
    EXPECT_TRUE(fingerprint) << text;
    return fingerprint ? fingerprint->digest : Digest{};
}

TEST(Fingerprint, SpellingDoesNotMatter)
{
    EXPECT_EQ(json(R"({"a":1,"b":2})"), json("{ \"b\" : 2,\n\t\"a\" : 1 }"));
    EXPECT_EQ(json(R"(["\u0041\/"])"), json(R"(["A/"])"));
    EXPECT_NE(json("[1,2]"), json("[2,1]"));
    EXPECT_NE(json("\"\xc3\xa9\""), json("\"e\xcc\x81\""));
}

TEST(Fingerprint, NumbersAreComparedByTheirExactValue)
{
    for (const std::string one : {"1.0", "1e0", "10e-1", "0.1e+1"}) EXPECT_EQ(json("1"), json(one));
    EXPECT_EQ(json("0"), json("-0"));
    EXPECT_NE(json("9007199254740992"), json("9007199254740993"));
    EXPECT_NE(json("18446744073709551615"), json("18446744073709551614"));
    EXPECT_NE(json("0.1"), json("0.1000000000000000055511151"));
    EXPECT_NE(json("1e-400"), json("0"));
    EXPECT_NE(json("1e-400"), json("1e-401"));
    EXPECT_NE(json("1"), json("\"1\""));
}

TEST(Fingerprint, DuplicateNamesHaveNone)
{
    EXPECT_FALSE(fingerprint_json(R"({"amount":1,"amount":100})"));
    EXPECT_FALSE(fingerprint_json(R"({"amount":1,"\u0061mount":1})"));
    EXPECT_FALSE(fingerprint_json(R"({"x":{"k":1,"j":0,"k":2}})"));
}

TEST(Fingerprint, NothingIsRepaired)
{
    for (const std::string text :
         {R"("\ud800")",
          R"("\ude00\ud83d")",
          "\"\xc0\xaf\"",
          "\"\xed\xa0\x80\"",
          "\xef\xbb\xbf{}",
          "NaN",
          "[Infinity]",
          "{\"a\":1/**/}",
          "{}{}",
          "{}x",
          "'a'",
          "[1,]",
          "+1",
          "nul",
          "tru",
          "\"\xff\""}) {
        EXPECT_FALSE(fingerprint_json(text)) << text;
    }
    const std::string utf16("\xff\xfe{\0}\0", 6);
    EXPECT_FALSE(fingerprint_json(utf16));
    EXPECT_FALSE(fingerprint_json(std::string("{}\0", 3)));
}

TEST(Fingerprint, EveryControlCharacterMustBeEscaped)
{
    for (char c = 0; c < 0x20; ++c) {
        // Once among eight characters and once near the end: they are scanned differently.
        EXPECT_FALSE(fingerprint_json(std::string("\"a") + c + "b and more text\"")) << int{c};
        EXPECT_FALSE(fingerprint_json(std::string("\"") + c + '"')) << int{c};
    }
    EXPECT_TRUE(fingerprint_json("\" \x7f\""));
}

TEST(Fingerprint, NoBodyAndTheFourEmptyBodiesAreFive)
{
    const std::set<Digest> digests{
        fingerprint_bytes("", "").digest, json("\"\""), json("{}"), json("null"), json("[]")
    };

    EXPECT_EQ(digests.size(), 5u);
    EXPECT_FALSE(fingerprint_json(""));
}

TEST(Fingerprint, BytesAndJsonNeverMeet)
{
    EXPECT_NE(json("{}"), fingerprint_bytes("application/json", "{}").digest);
    EXPECT_NE(fingerprint_bytes("text/plain", "{}"), fingerprint_bytes("text/html", "{}"));
    EXPECT_NE(fingerprint_bytes("text/plain", ""), fingerprint_bytes("", "text/plain"));
    EXPECT_NE(fingerprint_bytes("a", "bc"), fingerprint_bytes("ab", "c"));
}

TEST(Fingerprint, VersionOneNeverChanges)
{
    // Stored in records: other values here would make every retry of an old request a mismatch.
    // The digests were computed outside of this project, from the rules alone.
    EXPECT_EQ(fingerprint_version, 1);
    EXPECT_EQ(fingerprint_json("{}")->version, 1);
    EXPECT_EQ(
        to_hex(json(R"({"b":[1.50,"x"],"a":9007199254740993})")),
        "47cbedfe703b4f5145e8ca12c2b4b8bd323c1e86ccfd583c9565b081d4befad0"
    );
    EXPECT_EQ(
        to_hex(fingerprint_bytes("text/plain", "x").digest),
        "cbc196f13ccae65f8a06ff32c6759dff9f2a1fb68a8c9d77ec4638d4d9a2fbce"
    );
    EXPECT_EQ(
        to_hex(make_target({"POST", "/api/v1/clientes"}).digest),
        "17b78976dbe582df17644a0ad00c2801cbbd407c2bd7ada570f0d64bc851cd2e"
    );
}

TEST(Target, PartsAreNotConcatenated)
{
    EXPECT_NE(make_target({"POST", "/api/v1/clientes"}), make_target({"POST/api", "/v1/clientes"}));
    EXPECT_NE(make_target({"POST"}), make_target({"POST", ""}));
    EXPECT_EQ(make_target({"POST", "/x"}), make_target({"POST", "/x"}));
}

}  // namespace
}  // namespace umavez
