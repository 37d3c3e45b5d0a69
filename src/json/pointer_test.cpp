#include "json/pointer.hpp"

#include "json/canonical.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace umavez {
namespace {

// The canonical text of what the pointer finds, "absent" if it finds nothing.
std::string at(std::string_view document, std::string_view pointer)
{
    const auto tree = JsonTree::parse(document);
    if (!tree) return tree.error().detail;
    const auto found = find_pointer(tree->root(), pointer);
    if (!found) return "absent";
    std::string text;
    Output output{[&text](std::string_view piece) { text += piece; }};
    print_canonical(*found, output);
    output.finish();
    return text;
}

TEST(JsonPointer, ExamplesOfTheRfc)
{
    constexpr std::string_view document =
        R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})";

    EXPECT_EQ(at(document, ""), canonical_json(document));
    EXPECT_EQ(at(document, "/foo"), R"(["bar","baz"])");
    EXPECT_EQ(at(document, "/foo/0"), R"("bar")");
    EXPECT_EQ(at(document, "/"), "0");
    EXPECT_EQ(at(document, "/a~1b"), "1");
    EXPECT_EQ(at(document, "/c%d"), "2");
    EXPECT_EQ(at(document, "/e^f"), "3");
    EXPECT_EQ(at(document, "/g|h"), "4");
    EXPECT_EQ(at(document, "/i\\j"), "5");
    EXPECT_EQ(at(document, "/k\"l"), "6");
    EXPECT_EQ(at(document, "/ "), "7");
    EXPECT_EQ(at(document, "/m~0n"), "8");
}

TEST(JsonPointer, EscapesAreReadOnceAndInOrder)
{
    constexpr std::string_view document = R"({"~1":1,"/":2,"~":{"~0":3}})";

    EXPECT_EQ(at(document, "/~01"), "1");
    EXPECT_EQ(at(document, "/~1"), "2");
    EXPECT_EQ(at(document, "/~0/~00"), "3");
}

TEST(JsonPointer, NamesOfObjectsMayLookLikeIndexes)
{
    EXPECT_EQ(at(R"({"0":{"01":1}})", "/0/01"), "1");
    EXPECT_EQ(at(R"([[1,2],{"a":[3,{"b":4}]},5])", "/1/a/1/b"), "4");
    EXPECT_EQ(at(R"([[1,2],{"a":[3,{"b":4}]},5])", "/2"), "5");
}

TEST(JsonPointer, WhatIsNotThereIsAbsent)
{
    for (const std::string pointer :
         {"/2", "/-", "/00", "/+1", "/-0", "/1x", "/1/", "/0/0", "/18446744073709551616", "//"}) {
        EXPECT_EQ(at("[1,[2]]", pointer), "absent") << pointer;
    }
    for (const std::string pointer : {"/b", "/a/b", "/a/", "/A"}) {
        EXPECT_EQ(at(R"({"a":1})", pointer), "absent") << pointer;
    }
}

TEST(JsonPointer, GrammarIsTheOneOfTheRfc)
{
    for (const std::string text : {"", "/", "/a", "//", "/~0~1", "/a b", "/\xc3\xa7"}) {
        EXPECT_TRUE(is_json_pointer(text)) << text;
    }
    for (const std::string text : {"a", "a/b", "#/a", "/~", "/~2", "/a~/b", "/~~0"}) {
        EXPECT_FALSE(is_json_pointer(text)) << text;
        EXPECT_EQ(at(R"({"a":{"b":1},"~":2,"~2":3})", text), "absent") << text;
    }
}

RC_GTEST_PROP(JsonPointer, AnyNameIsFoundUnderItsEscapedForm, (const std::vector<std::string>& raw))
{
    std::string document = "1";
    std::string pointer;
    for (const std::string& text : raw) {
        std::string name;
        std::string escaped;
        for (const char c : text) {
            constexpr std::string_view letters = "~/01-az";
            const char letter = letters[static_cast<unsigned char>(c) % letters.size()];
            name += letter;
            if (letter == '~') {
                escaped += "~0";
            } else if (letter == '/') {
                escaped += "~1";
            } else {
                escaped += letter;
            }
        }
        document = "{\"" + name + "\":" + document + "}";
        pointer = "/" + escaped + pointer;
    }

    RC_ASSERT(is_json_pointer(pointer));
    RC_ASSERT(at(document, pointer) == "1");
}

}  // namespace
}  // namespace umavez
