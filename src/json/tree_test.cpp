#include "json/tree.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace umavez {
namespace {

std::string refusal(std::string_view text, std::size_t depth_max = 512)
{
    const auto tree = JsonTree::parse(text, depth_max);
    return tree ? "accepted" : tree.error().detail;
}

TEST(JsonTree, ReadsEveryKind)
{
    const auto tree = JsonTree::parse(R"( {"a":[null,true,false,-1.50,"x"]} )");

    ASSERT_TRUE(tree);
    const JsonElements elements = tree->root().find("a")->elements();
    std::vector<JsonValue> values;
    for (const JsonValue element : elements) values.push_back(element);
    ASSERT_EQ(elements.size(), 5u);
    EXPECT_EQ(values[0].kind(), JsonKind::null);
    EXPECT_TRUE(values[1].boolean());
    EXPECT_FALSE(values[2].boolean());
    EXPECT_EQ(values[3].number(), "-1.50");
    EXPECT_EQ(values[4].string(), "x");
}

TEST(JsonTree, NumbersKeepTheirText)
{
    const std::string text = "12345678901234567890.1234567890E-0";

    EXPECT_EQ(JsonTree::parse(text)->root().number(), text);
}

TEST(JsonTree, StringsAreUnescaped)
{
    const std::string text = R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude02z")";

    EXPECT_EQ(
        JsonTree::parse(text)->root().string(),
        "a\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x82z"
    );
}

TEST(JsonTree, MembersAreFoundByTheirUnescapedName)
{
    const auto tree = JsonTree::parse(R"({"z":1,"\u0061":{"deep":[2]},"m":3,"":4})");

    EXPECT_EQ(tree->root().find("z")->number(), "1");
    EXPECT_EQ(tree->root().find("")->number(), "4");
    EXPECT_TRUE(tree->root().find("a")->find("deep"));
    EXPECT_FALSE(tree->root().find("y"));
    EXPECT_FALSE(tree->root().find("zz"));
    EXPECT_FALSE(tree->root().find("z")->find("z"));
}

TEST(JsonTree, MembersOfALargeObjectAreSortedAndFound)
{
    std::string text = "{";
    for (int i = 999; i >= 0; --i)
        text += '"' + std::to_string(i) + "\":" + std::to_string(i) + ',';
    text.back() = '}';

    const auto tree = JsonTree::parse(text);

    EXPECT_EQ(tree->root().members().size(), 1000u);
    EXPECT_EQ(tree->root().find("731")->number(), "731");
    std::string before;
    for (const JsonMember member : tree->root().members()) {
        EXPECT_LT(before, member.name().string());
        before = member.name().string();
    }
}

TEST(JsonTree, ElementsAfterANestedContainerAreReached)
{
    const auto tree = JsonTree::parse(R"([[1,[2]],{"a":[]},3])");

    std::vector<JsonKind> kinds;
    for (const JsonValue element : tree->root().elements()) kinds.push_back(element.kind());

    EXPECT_EQ(kinds, (std::vector{JsonKind::array, JsonKind::object, JsonKind::number}));
}

TEST(JsonTree, ARefusalTellsTheByteAndTheReason)
{
    EXPECT_EQ(refusal(""), "byte 0: the text ends where a value is expected");
    EXPECT_EQ(refusal("\xef\xbb\xbf{}"), "byte 0: byte order mark");
    EXPECT_EQ(refusal(R"({"a":1,"b":2,"a":3})"), "byte 13: duplicate member name");
    EXPECT_EQ(refusal(R"({"a":1,"\u0061":3})"), "byte 7: duplicate member name");
    EXPECT_EQ(refusal(R"(["x\ud800y"])"), "byte 3: lone surrogate");
    EXPECT_EQ(refusal("[\"\xc0\xaf\"]"), "byte 2: invalid UTF-8");
    EXPECT_EQ(refusal("{} x"), "byte 3: text after the value");
    EXPECT_EQ(refusal("[1,]"), "byte 3: expected a value");
    EXPECT_EQ(refusal("{\"a\":1,}"), "byte 7: expected a member name");
    EXPECT_EQ(refusal("[1 2]"), "byte 3: expected ',' or ']'");
    EXPECT_EQ(refusal("{\"a\" 1}"), "byte 5: expected ':' after a member name");
    EXPECT_EQ(refusal("{\"a\":1"), "byte 6: the text ends before a container is closed");
    EXPECT_EQ(refusal("\"a"), "byte 2: the text ends inside a string");
    EXPECT_EQ(refusal("\"a\nb\""), "byte 2: control character in a string");
    EXPECT_EQ(refusal("[1e400]"), "byte 1: number beyond the range of a double");
    EXPECT_EQ(refusal("01"), "byte 0: number with a leading zero");
    EXPECT_EQ(refusal("-"), "byte 1: expected a digit");
    EXPECT_EQ(refusal("[[[]]]", 2), "byte 2: nested more than 2 levels deep");
}

TEST(JsonTree, ARefusalIsTheSendersMistake)
{
    EXPECT_EQ(JsonTree::parse("[").error().code, Errc::invalid_argument);
}

TEST(JsonTree, NestingIsAcceptedUpToTheLimit)
{
    const std::string at_limit = std::string(512, '[') + std::string(512, ']');

    EXPECT_EQ(refusal(at_limit), "accepted");
    EXPECT_NE(refusal('[' + at_limit + ']'), "accepted");
    EXPECT_EQ(refusal("1", 0), "accepted");
    EXPECT_NE(refusal("{}", 0), "accepted");
}

}  // namespace
}  // namespace umavez
