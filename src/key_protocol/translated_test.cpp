#include "key_protocol/translated.hpp"

#include "json/tree.hpp"

#include <umavez/names.hpp>

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

TEST(Translated, EveryMistakeInJsonHasBothLanguages)
{
    const std::string deep(100, '[');
    for (const std::string& text : std::vector<std::string>{
             "",
             "{",
             "[1",
             "[1 2]",
             "{\"a\" 1}",
             "{1:2}",
             "{\"a\":1 \"b\":2}",
             "01",
             "-",
             "1.",
             "1e",
             "1e400",
             "1e-9999999999999999",
             "nul",
             "\"",
             "\"\x01\"",
             "\"\xff\"",
             "\"\\x\"",
             "\"\\u12\"",
             "\"\\ud800\"",
             "\"\\ud800\\u0041\"",
             "\"\\udc00\"",
             "1 2",
             "\xef\xbb\xbf{}",
             "{\"a\":1,\"a\":2}",
             deep,
             "\"\\",
             "{\"a\":1"
         }) {
        const auto tree = JsonTree::parse(text, 64);
        ASSERT_FALSE(tree) << text;
        const http::Text told = translated(tree.error().detail);
        EXPECT_EQ(told.english, tree.error().detail);
        EXPECT_NE(told.portuguese, told.english) << text;
    }
}

TEST(Translated, ThePlaceAndWhatWasGivenStay)
{
    EXPECT_EQ(translated("byte 7: invalid UTF-8").portuguese, "byte 7: UTF-8 inválido");
    EXPECT_EQ(
        translated("byte 1: expected ',' or ']'").portuguese, "byte 1: esperava-se ',' ou ']'"
    );
    EXPECT_EQ(
        translated(TenantId::parse("A B").error().detail).portuguese,
        "tenant_id só pode conter a-z, 0-9, '.', '_', '-'"
    );
    EXPECT_EQ(
        translated(TenantId::parse(std::string(65, 'a')).error().detail).portuguese,
        "tenant_id tem 65 caracteres; o máximo é 64"
    );
}

TEST(Translated, WhatIsNotKnownStaysAsItIs)
{
    EXPECT_EQ(translated("something else").portuguese, "something else");
    EXPECT_EQ(translated("byte order").portuguese, "byte order");
}

}  // namespace
}  // namespace umavez::key_protocol
