// What is read, and what is refused before it costs anything.

#include "xml/document.hpp"

#include "xml/canonical.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

namespace umavez::xml {
namespace {

using testing::HasSubstr;

std::string why_not(std::string_view text, const ReadLimits& limits = {})
{
    const auto document = Document::parse(text, limits);
    EXPECT_FALSE(document) << text.substr(0, 200);
    return document ? "" : document.error().detail;
}

TEST(DocumentTest, ElementsAreFoundByNamespaceAndPath)
{
    const auto document = Document::parse(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<a:DPS xmlns:a=\"urn:a\" xmlns:b=\"urn:b\" versao=\"1.01\" b:versao=\"2\">\n"
        "<b:inf Id=\"other\"/><a:inf Id=\"A&amp;1\"><a:n> 1&lt;<![CDATA[&2]]><!-- x "
        "-->3<a:x>no</a:x></a:n>"
        "<a:n>second</a:n></a:inf></a:DPS>"
    );
    ASSERT_TRUE(document) << document.error().detail;
    const Element root = document->root();
    EXPECT_EQ(root.name(), "DPS");
    EXPECT_EQ(root.space(), "urn:a");
    EXPECT_EQ(root.attribute("versao"), "1.01");
    EXPECT_EQ(root.attribute("Id"), std::nullopt);
    ASSERT_TRUE(root.find("inf"));
    EXPECT_EQ(root.find("inf")->attribute("Id"), "A&1");
    EXPECT_EQ(root.find("inf")->line(), 3);
    EXPECT_EQ(root.find_text("inf/n"), " 1<&23");
    EXPECT_EQ(root.find_text("inf/m"), std::nullopt);
    EXPECT_EQ(root.find_text("inf/n/n"), std::nullopt);
    EXPECT_EQ(root.children().size(), 2);
    EXPECT_EQ(Document::parse("<a>x</a>")->root().space(), "");
}

TEST(DocumentTest, WhatIsNotWellFormedIsToldWithItsLine)
{
    EXPECT_THAT(why_not("<a>\n<b></a>"), HasSubstr("line 2"));
    EXPECT_THAT(why_not(""), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("rubbish"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<a/><b/>"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<a>&unknown;</a>"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<p:a/>"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<a b='1' b='2'/>"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<a xmlns='relative'/>"), HasSubstr("absolute URI"));
}

TEST(DocumentTest, TypesAndEntitiesAreRefused)
{
    const char* const hostile[] = {
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
        "<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/evil.dtd\"><a/>",
        "<!DOCTYPE a PUBLIC \"x\" \"http://127.0.0.1:1/evil.dtd\"><a/>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/p\"> %p;]><a/>",
        "<!DOCTYPE a [<!ATTLIST a Id CDATA \"x\">]><a/>",
        "<!-- first --><?pi?><!DOCTYPE a [<!ELEMENT a ANY>]><a/>",
    };
    for (const char* const text : hostile) {
        EXPECT_THAT(why_not(text), HasSubstr("document type declaration")) << text;
    }
}

TEST(DocumentTest, ABombOfEntitiesCostsNothing)
{
    std::string bomb = "<!DOCTYPE a [<!ENTITY e0 \"lol\">";
    for (int i = 1; i < 30; ++i) {
        const std::string before = "&e" + std::to_string(i - 1) + ";";
        bomb +=
            "<!ENTITY e" + std::to_string(i) + " \"" + before + before + before + before + "\">";
    }
    bomb += "]><a>&e29;</a>";
    const std::clock_t before = std::clock();  // of the processor: a stall is no cost
    EXPECT_THAT(why_not(bomb), HasSubstr("document type declaration"));
    EXPECT_LT(std::clock() - before, 5 * CLOCKS_PER_SEC);
}

TEST(DocumentTest, SizeAndDepthAreBounded)
{
    const auto nested = [](std::size_t depth) {
        std::string text;
        for (std::size_t i = 0; i < depth; ++i) text += "<a>";
        for (std::size_t i = 0; i < depth; ++i) text += "</a>";
        return text;
    };
    EXPECT_TRUE(Document::parse(nested(64)));
    EXPECT_THAT(why_not(nested(65)), HasSubstr("more than 64 deep"));
    EXPECT_THAT(why_not(nested(100'000)), HasSubstr("more than 64 deep"));
    EXPECT_TRUE(Document::parse("<a>12345</a>", {.bytes_max = 12}));
    EXPECT_THAT(why_not("<a>123456</a>", {.bytes_max = 12}), HasSubstr("has 13 bytes, at most 12"));
    EXPECT_EQ(Document::parse("<a/>", {.bytes_max = 1}).error().code, Errc::limit_exceeded);
}

TEST(DocumentTest, OnlyUtf8)
{
    EXPECT_THAT(why_not("<a>\xff</a>"), HasSubstr("UTF-8"));
    EXPECT_THAT(why_not(std::string{"<\0a\0/\0>\0", 8}), HasSubstr("UTF-8"));
    EXPECT_THAT(
        why_not("<?xml version='1.0' encoding='ISO-8859-1'?><a>x</a>"), HasSubstr("ISO-8859-1")
    );
    EXPECT_EQ(Document::parse("\xef\xbb\xbf<a>ç</a>")->root().text(), "ç");
}

TEST(DocumentTest, TheCanonicalFormIsThatOfTheElement)
{
    const auto document = Document::parse(
        "<a xmlns='urn:a' xmlns:u='urn:u'><b  z='1' y=\"&quot;2\"><!-- c --><c/>\r\n</b></a>"
    );
    ASSERT_TRUE(document);
    const Element b = *document->root().find("b");
    EXPECT_EQ(
        to_canonical(b, Canonical::inclusive),
        "<b xmlns=\"urn:a\" xmlns:u=\"urn:u\" y=\"&quot;2\" z=\"1\"><c></c>\n</b>"
    );
    EXPECT_EQ(
        to_canonical(b, Canonical::exclusive),
        "<b xmlns=\"urn:a\" y=\"&quot;2\" z=\"1\"><c></c>\n</b>"
    );
    EXPECT_EQ(
        to_canonical(b, Canonical::exclusive_with_comments, b.find("c")),
        "<b xmlns=\"urn:a\" y=\"&quot;2\" z=\"1\"><!-- c -->\n</b>"
    );
}

TEST(XmlDocument, AnElementHasSoManyAttributesAndNoMore)
{
    const auto crowded = [](int count, const std::string& value) {
        std::string text = "<a";
        for (int i = 0; i < count; ++i) text += " a" + std::to_string(i) + "=" + value;
        return text + "/>";
    };
    EXPECT_TRUE(Document::parse(crowded(256, "\"1\"")));
    for (const char* const value : {"\"1\"", "'>'", "'\"'", "\"<b>\""}) {
        const auto refused = Document::parse(crowded(257, value));
        ASSERT_FALSE(refused) << value;
        EXPECT_EQ(refused.error().code, Errc::limit_exceeded) << value;
    }
    // Quotes elsewhere are text.
    std::string quotes(5000, '"');
    EXPECT_TRUE(
        Document::parse("<a>" + quotes + "<!--" + quotes + "--><![CDATA[<" + quotes + "]]></a>")
    );
    for (const char* const torn : {"<", "<a b=\"", "<!--", "<![CDATA[", "<?x"}) {
        EXPECT_FALSE(Document::parse(torn)) << torn;
    }
}

}  // namespace
}  // namespace umavez::xml
