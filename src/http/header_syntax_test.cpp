#include "http/header_syntax.hpp"

#include "http/media_type.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

using Views = std::vector<std::string_view>;

TEST(HeaderSyntax, ListsAreSplitOutsideQuotesAndAcrossLines)
{
    const std::vector<Header> headers{{"A", " x , \"y, \\\" z\" ,, "}, {"B", "no"}, {"a", "w"}};

    EXPECT_EQ(list_elements(headers, "A"), (Views{"x", "\"y, \\\" z\"", "w"}));
    EXPECT_EQ(split_outside_quotes("a;\"b;c", ';'), (Views{"a", "\"b;c"}));
    EXPECT_EQ(split_outside_quotes("", ';'), Views{""});
}

TEST(HeaderSyntax, QuotedStringsAreReadWhole)
{
    EXPECT_EQ(unquote("token"), "token");
    EXPECT_EQ(unquote("\"a b\""), "a b");
    EXPECT_EQ(unquote("\"a\\\"\\\\b\""), "a\"\\b");
    EXPECT_EQ(unquote("\"\""), "");
    for (const char* const broken :
         {"", "a b", "\"", "\"a", "a\"", "\"a\"b\"", "\"a\\\"", "\"a\nb\""}) {
        EXPECT_EQ(unquote(broken), std::nullopt) << broken;
    }
}

TEST(HeaderSyntax, TokensHaveNoSeparators)
{
    EXPECT_TRUE(is_token("a!#$%&'*+-.^_`|~9Z"));
    for (const std::string_view text : {"", "a b", "a:", "(", "a\"", "\x7f", "\xc3\xa9"}) {
        EXPECT_FALSE(is_token(text)) << text;
    }
    EXPECT_FALSE(is_token(std::string_view{"\0", 1}));
}

TEST(MediaType, HasOneSpelling)
{
    const auto media_type = parse_media_type(" Text/HTML ;b=\"x y\"; Charset=UTF-8;A=z; ");

    ASSERT_TRUE(media_type);
    EXPECT_EQ(media_type->text(), "text/html;a=z;b=\"x y\";charset=utf-8");
    EXPECT_EQ(parse_media_type(media_type->text())->text(), media_type->text());
}

TEST(MediaType, KnowsJson)
{
    EXPECT_TRUE(parse_media_type("application/json")->is_json());
    EXPECT_TRUE(parse_media_type("application/problem+JSON")->is_json());
    EXPECT_FALSE(parse_media_type("application/jsonl")->is_json());
    EXPECT_FALSE(parse_media_type("text/json")->is_json());
}

}  // namespace
}  // namespace umavez::http
