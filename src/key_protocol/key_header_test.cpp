// The key header: the shared vectors of structured fields under `strict`, and a table for the rule
// that real clients meet.

#include "key_protocol/key_header.hpp"

#include <boost/json/src.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace umavez::key_protocol {
namespace {

using Parsed = std::expected<std::optional<Key>, http::Problem>;

// "key: abc", "absent" or "refused: the rule".
std::string story_of(const Parsed& parsed)
{
    if (!parsed) {
        EXPECT_EQ(parsed.error().name, "idempotency-key-invalid");
        EXPECT_FALSE(parsed.error().detail.portuguese.empty());
        return "refused: " + parsed.error().detail.english;
    }
    return *parsed ? "key: " + (*parsed)->text() : "absent";
}

std::string lenient(std::vector<Header> headers)
{
    return story_of(parse_key_headers(headers, KeySyntax::lenient));
}

std::string lenient(std::string value)
{
    return lenient(std::vector<Header>{{"Idempotency-Key", std::move(value)}});
}

std::string strict(std::string value)
{
    return story_of(parse_key_headers({{"Idempotency-Key", std::move(value)}}, KeySyntax::strict));
}

constexpr auto not_visible = "refused: a key contains visible ASCII characters only";
constexpr auto not_bare = R"(refused: a key without quotes contains no space, comma, " or \)";
constexpr auto bad_escape = R"(refused: inside quotes a backslash stands only before " or \)";
constexpr auto not_closed = "refused: the quoted key has no closing quote";
constexpr auto follows = "refused: something follows the closing quote; one request has one key";

TEST(KeyHeader, BareAndQuotedAreTheSameKey)
{
    EXPECT_EQ(lenient("abc"), "key: abc");
    EXPECT_EQ(lenient(R"("abc")"), "key: abc");
    EXPECT_EQ(lenient(R"(  "abc"  )"), "key: abc");
    EXPECT_EQ(lenient(" abc "), "key: abc");
    EXPECT_EQ(
        lenient("8e03978e-40d5-43e8-bc93-6894a57f9324"), "key: 8e03978e-40d5-43e8-bc93-6894a57f9324"
    );
}

TEST(KeyHeader, CaseMattersInKeysAndNotInNames)
{
    EXPECT_EQ(lenient("ABC"), "key: ABC");
    EXPECT_EQ(lenient({{"idempotency-KEY", "abc"}}), "key: abc");
    EXPECT_EQ(lenient({{"x-IDEMPOTENCY-key", "abc"}}), "key: abc");
}

TEST(KeyHeader, OtherHeadersAreNoKey)
{
    EXPECT_EQ(lenient(std::vector<Header>{}), "absent");
    EXPECT_EQ(lenient({{"Idempotency-Keys", "abc"}, {"Idempotency", "abc"}}), "absent");
}

TEST(KeyHeader, BareKeysMayHoldWhatTheGrammarDoesNotExclude)
{
    for (const std::string key : {"a;b=c", "'; DROP", "../..", "%00", "a:b", "_*%", "{}", "a'b"}) {
        const bool has_space = key.contains(' ');
        EXPECT_EQ(lenient(key), has_space ? std::string{not_bare} : "key: " + key);
    }
}

TEST(KeyHeader, BareKeysHoldNoSpaceCommaQuoteOrBackslash)
{
    for (const char* const value : {"a b", "a,b", "a, b", "a\"b", "a\\b", "abc\"", "\\"}) {
        EXPECT_EQ(lenient(value), not_bare) << value;
    }
}

TEST(KeyHeader, QuotedKeysAreUnescaped)
{
    EXPECT_EQ(lenient(R"("a\"b")"), R"(key: a"b)");
    EXPECT_EQ(lenient(R"("a\\b")"), R"(key: a\b)");
    EXPECT_EQ(lenient(R"("a b, c")"), "key: a b, c");
    EXPECT_EQ(lenient(R"(" a ")"), "key:  a ");
    EXPECT_EQ(lenient(R"("a\b")"), bad_escape);
    EXPECT_EQ(lenient(R"("abc\)"), bad_escape);
}

TEST(KeyHeader, WhatIsNotExactlyOneStringIsRefused)
{
    EXPECT_EQ(lenient(R"("abc)"), not_closed);
    EXPECT_EQ(lenient(R"(")"), not_closed);
    EXPECT_EQ(lenient(R"("abc\")"), not_closed);
    EXPECT_EQ(lenient(R"("abc";x=1)"), "refused: a key takes no parameters");
    EXPECT_EQ(lenient(R"("abc" ;x=1)"), follows);
    EXPECT_EQ(lenient(R"("abc", "def")"), follows);
    EXPECT_EQ(lenient(R"("abc"x)"), follows);
}

TEST(KeyHeader, EmptyAndBlankKeysAreRefused)
{
    EXPECT_EQ(lenient(""), "refused: the key is empty");
    EXPECT_EQ(lenient("   "), "refused: the key is empty");
    EXPECT_EQ(lenient(R"("")"), "refused: the key is empty");
    EXPECT_EQ(lenient(R"("   ")"), "refused: the key consists of spaces only");
}

TEST(KeyHeader, LengthIsCountedAfterUnquoting)
{
    const std::string longest(255, 'k');
    const std::string refused = "refused: the key has 256 characters, at most 255 are allowed";

    EXPECT_EQ(lenient("k"), "key: k");
    EXPECT_EQ(lenient(longest), "key: " + longest);
    EXPECT_EQ(lenient("\"" + longest + "\""), "key: " + longest);
    EXPECT_EQ(lenient("\"" + longest.substr(1) + "\\\"\""), "key: " + longest.substr(1) + "\"");
    EXPECT_EQ(lenient(longest + "k"), refused);
    EXPECT_EQ(lenient("\"" + longest + "k\""), refused);
}

TEST(KeyHeader, ControlAndNonAsciiBytesAreRefusedInBothForms)
{
    for (int byte = 0; byte < 256; ++byte) {
        if (byte >= 0x20 && byte < 0x7f) continue;
        const std::string inside = std::string{"a"} + static_cast<char>(byte) + "b";
        EXPECT_EQ(lenient(inside), not_visible) << byte;
        EXPECT_EQ(lenient("\"" + inside + "\""), not_visible) << byte;
    }
    EXPECT_EQ(lenient("\tabc"), not_visible);
}

TEST(KeyHeader, TwoLinesAreRefusedEvenIfEqual)
{
    EXPECT_EQ(
        lenient({{"Idempotency-Key", "a"}, {"idempotency-key", "a"}}),
        "refused: Idempotency-Key is given twice"
    );
    EXPECT_EQ(
        lenient({{"X-Idempotency-Key", "a"}, {"X-Idempotency-Key", "a"}}),
        "refused: X-Idempotency-Key is given twice"
    );
    EXPECT_EQ(
        lenient({{"Idempotency-Key", "\"a"}, {"Idempotency-Key", "b\""}}),
        "refused: Idempotency-Key is given twice"
    );
}

TEST(KeyHeader, HeaderAndAliasMustAgree)
{
    EXPECT_EQ(lenient({{"Idempotency-Key", "a"}, {"X-Idempotency-Key", "\"a\""}}), "key: a");
    EXPECT_EQ(
        lenient({{"Idempotency-Key", "a"}, {"X-Idempotency-Key", "A"}}),
        "refused: Idempotency-Key and X-Idempotency-Key differ"
    );
    EXPECT_EQ(
        lenient({{"Idempotency-Key", "a"}, {"X-Idempotency-Key", ""}}), "refused: the key is empty"
    );
}

TEST(KeyHeader, StrictTakesTheQuotedFormOnly)
{
    EXPECT_EQ(strict(R"("abc")"), "key: abc");
    EXPECT_EQ(strict("abc"), R"(refused: this server takes keys in double quotes only: "abc")");
}

TEST(ReadKey, SafeMethodsHaveNoKey)
{
    for (const char* const method : {"GET", "HEAD", "OPTIONS"}) {
        const auto key =
            read_key(method, {{"Idempotency-Key", ""}}, KeySyntax::lenient, KeyRule::required);
        EXPECT_EQ(story_of(key), "absent");
    }
}

TEST(ReadKey, AMissingKeyIsAProblemOnlyWhereItIsRequired)
{
    const auto required = read_key("POST", {}, KeySyntax::lenient, KeyRule::required);
    ASSERT_FALSE(required);
    EXPECT_EQ(required.error().name, "idempotency-key-missing");

    EXPECT_EQ(story_of(read_key("POST", {}, KeySyntax::lenient, KeyRule::optional)), "absent");
    EXPECT_EQ(story_of(read_key("POST", {}, KeySyntax::lenient, KeyRule::derived)), "absent");
}

// The vectors know the grammar of an Item; the published key policy is narrower in four points.
bool is_within_policy(const boost::json::value& vector)
{
    const std::string key{vector.at("key").as_string()};
    const bool has_parameters = !vector.at("params").as_array().empty();
    const bool has_one_line = vector.at("raw").as_array().size() == 1;
    const bool is_blank = std::ranges::all_of(key, [](char c) { return c == ' '; });
    return !has_parameters && has_one_line && !is_blank && key.size() <= 255;
}

void check_vectors(const char* name)
{
    const std::filesystem::path file =
        std::filesystem::path{UMAVEZ_VECTORS_DIR} / "structured-fields" / name;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared vectors are not here";
    std::stringstream text;
    text << std::ifstream{file}.rdbuf();

    const boost::json::value vectors = boost::json::parse(text.str());
    ASSERT_FALSE(vectors.as_array().empty());
    for (const boost::json::value& vector : vectors.as_array()) {
        SCOPED_TRACE(boost::json::serialize(vector));
        std::vector<Header> headers;
        for (const boost::json::value& line : vector.at("raw").as_array()) {
            headers.push_back({"Idempotency-Key", std::string{line.as_string()}});
        }
        const Parsed parsed = parse_key_headers(headers, KeySyntax::strict);
        if (vector.at("accept").as_bool() && is_within_policy(vector)) {
            EXPECT_EQ(story_of(parsed), "key: " + std::string{vector.at("key").as_string()});
        } else {
            EXPECT_TRUE(story_of(parsed).starts_with("refused: "));
        }
    }
}

TEST(KeyHeaderVectors, ItemsOfTheStructuredFieldsSuite)
{
    check_vectors("idempotency-key-derived.json");
}

TEST(KeyHeaderVectors, FurtherHeaderValues)
{
    check_vectors("idempotency-key-items.json");
}

}  // namespace
}  // namespace umavez::key_protocol
