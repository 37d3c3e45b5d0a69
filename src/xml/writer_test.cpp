#include "xml/writer.hpp"

#include "xml/document.hpp"

#include <gtest/gtest.h>

namespace umavez::xml {
namespace {

TEST(WriterTest, WhatIsWrittenIsReadBack)
{
    const std::string hostile = "<x a=\"1\">&amp; ]]> ' \t\n\r ç 日";
    Writer writer;
    writer.open("a", {{"xmlns", "urn:a"}, {"Id", "<\"&'>"}})
        .element("b", hostile)
        .open("c")
        .element("d", "");
    const std::string text = std::move(writer).finish();
    const auto document = Document::parse(text);
    ASSERT_TRUE(document) << document.error().detail << text;
    EXPECT_EQ(document->root().attribute("Id"), "<\"&'>");
    EXPECT_EQ(document->root().find_text("b"), hostile);
    EXPECT_EQ(document->root().find_text("c/d"), "");
}

TEST(WriterTest, WhatXmlCannotSay)
{
    EXPECT_TRUE(is_sayable("a\tb\nc ç"));
    EXPECT_FALSE(is_sayable("a\x01"));
    EXPECT_FALSE(is_sayable(std::string{"a\0", 2}));
    EXPECT_FALSE(is_sayable("\xff"));
    EXPECT_FALSE(is_sayable("\xef\xbf\xbf"));
    EXPECT_EQ(
        escape("a\x01"
               "b"),
        "ab"
    );
}

}  // namespace
}  // namespace umavez::xml
