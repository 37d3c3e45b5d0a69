#include <umavez/fingerprint.hpp>
#include <umavez/mediator/json_codec.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace umavez {

struct Isbn {
    std::string digits;
    friend bool operator==(const Isbn&, const Isbn&) = default;
};
template <>
struct JsonCodec<Isbn> {
    static constexpr std::string_view name = "isbn";
    static JsonFailure write(const Isbn& isbn, JsonText& out)
    {
        return out.string("isbn:" + isbn.digits);
    }
    static JsonFailure read(const JsonView& json, Isbn& isbn)
    {
        const auto text = json.string();
        if (!text || !text->starts_with("isbn:")) return JsonProblem{"expected an ISBN"};
        isbn.digits = text->substr(5);
        return std::nullopt;
    }
};

// JSON that is stored as it is.
struct Raw {
    std::string json;
};
template <>
struct JsonCodec<Raw> {
    static JsonFailure write(const Raw& raw, JsonText& out) { return out.raw(raw.json); }
    static JsonFailure read(const JsonView&, Raw&) { return JsonProblem{"written only"}; }
};

namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_time;

enum class Colour : std::uint8_t { red, green };
BOOST_DESCRIBE_ENUM(Colour, red, green)

struct Point {
    int x = 0;
    std::optional<double> y;
    friend bool operator==(const Point&, const Point&) = default;
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, y))

struct Named {
    std::string name;
    friend bool operator==(const Named&, const Named&) = default;
};
BOOST_DESCRIBE_STRUCT(Named, (), (name))

struct Square : Named {
    Point corner;
    friend bool operator==(const Square&, const Square&) = default;
};
BOOST_DESCRIBE_STRUCT(Square, (Named), (corner))

class Secretive {
public:
    Secretive() = default;
    explicit Secretive(int value) : value_(value) {}
    friend bool operator==(const Secretive&, const Secretive&) = default;

private:
    int value_ = 0;
    BOOST_DESCRIBE_CLASS(Secretive, (), (), (), (value_))
};

struct Node {
    int value = 0;
    std::vector<Node> children;
    friend bool operator==(const Node&, const Node&) = default;
};
BOOST_DESCRIBE_STRUCT(Node, (), (value, children))

template <typename T>
void expect_both_ways(const T& value, const std::string& json)
{
    const auto written = to_json(value);
    ASSERT_TRUE(written) << written.error();
    EXPECT_EQ(*written, json);
    const auto read = from_json<T>(json);
    ASSERT_TRUE(read) << json << ": " << read.error();
    EXPECT_EQ(*read, value) << json;
}

template <typename T>
std::string problem_of(std::string_view json)
{
    const auto read = from_json<T>(json);
    return read ? "none" : read.error();
}

TEST(JsonCodec, ScalarsGoBothWays)
{
    expect_both_ways(true, "true");
    expect_both_ways(std::int8_t{-128}, "-128");
    expect_both_ways(std::numeric_limits<std::uint64_t>::max(), "18446744073709551615");
    expect_both_ways(std::numeric_limits<std::int64_t>::min(), "-9223372036854775808");
    expect_both_ways(0.1, "0.1");
    expect_both_ways(1e300, "1e+300");
    expect_both_ways(std::string{"caf\u00e9 \"x\"\n"}, "\"caf\u00e9 \\\"x\\\"\\n\"");
    expect_both_ways(*Decimal::parse("-12.50"), "-12.50");
    expect_both_ways(std::monostate{}, "null");
    expect_both_ways(Colour::green, "\"green\"");
}

TEST(JsonCodec, ContainersGoBothWays)
{
    expect_both_ways(std::vector<int>{}, "[]");
    expect_both_ways(std::vector<bool>{true, false}, "[true,false]");
    expect_both_ways(std::vector<std::vector<int>>{{1}, {}}, "[[1],[]]");
    expect_both_ways(std::deque<std::string>{"a", "b"}, R"(["a","b"])");
    expect_both_ways(std::set<int>{1, 2}, "[1,2]");
    expect_both_ways(std::array<int, 2>{7, 8}, "[7,8]");
    expect_both_ways(std::map<std::string, int>{{"a", 1}, {"b", 2}}, R"({"a":1,"b":2})");
    expect_both_ways(std::map<int, std::string>{{-1, "x"}}, R"({"-1":"x"})");
    expect_both_ways(std::map<Colour, int>{{Colour::red, 3}}, R"({"red":3})");
    expect_both_ways(
        std::unordered_map<std::string, Point>{{"p", {1, 2.5}}}, R"({"p":{"x":1,"y":2.5}})"
    );
    expect_both_ways(std::optional<int>{}, "null");
    expect_both_ways(std::optional<int>{5}, "5");
}

TEST(JsonCodec, DescribedStructsGoBothWays)
{
    expect_both_ways(Point{1, std::nullopt}, R"({"x":1,"y":null})");
    Square square;
    square.name = "s";
    square.corner.x = 4;
    expect_both_ways(square, R"({"corner":{"x":4,"y":null},"name":"s"})");
    expect_both_ways(Secretive{9}, R"({"value_":9})");
    expect_both_ways(Node{1, {{2, {}}}}, R"({"children":[{"children":[],"value":2}],"value":1})");
    expect_both_ways(Isbn{"978"}, "\"isbn:978\"");
}

void expect_canonical(const auto& value)
{
    const auto written = to_json(value);
    ASSERT_TRUE(written) << written.error();
    EXPECT_EQ(*to_json(value, JsonForm::canonical), *canonical_json(*written)) << *written;
}

TEST(JsonCodec, TheCanonicalFormIsThatOfTheFingerprint)
{
    expect_canonical(*Decimal::parse("12.50"));
    expect_canonical(*Decimal::parse("-0.00"));
    expect_canonical(*Decimal::parse("0.0000001"));
    expect_canonical(*Decimal::parse("999999999999999999"));
    expect_canonical(
        std::vector<double>{0.1, -0.0, 1e21, 1e-7, 123456789.125, 5e-324, 1.7976931348623157e308}
    );
    expect_canonical(std::numeric_limits<std::int64_t>::min());
    expect_canonical(std::numeric_limits<std::uint64_t>::max());
    expect_canonical(std::string{"\x01\b\f\n\r\t\x7f\"\\/\u00e9\u20ac\U0001f600"});
    expect_canonical(std::unordered_map<std::string, int>{
        {"b", 1},
        {"a", 2},
        {"\u00e9", 3},
        {"\ue000", 4},
        {"\U0001f600", 5},
        {"", 6},
        {"\n", 7},
        {"aa", 8}
    });
    expect_canonical(std::map<int, int>{{-1, 1}, {10, 2}, {9, 3}});
    expect_canonical(Node{1, {{2, {}}, {3, {{4, {}}}}}});
    expect_canonical(Point{1, 2.50});
    expect_canonical(std::vector<Raw>{{"{\"b\": 1.0, \"a\" : [ 1e2 ]}"}, {"null"}});
    EXPECT_EQ(to_json(*Decimal::parse("12.50"), JsonForm::canonical), "12.5");
}

TEST(JsonCodec, ARawTextMustBeJson)
{
    EXPECT_EQ(to_json(std::vector<Raw>{{"1"}, {"{"}}).error().substr(0, 13), "[1]: not JSON");
}

TEST(JsonCodec, WhatIsNestedTooDeeplyIsRefused)
{
    Node root;
    Node* innermost = &root;
    for (int i = 0; i < 400; ++i) innermost = &innermost->children.emplace_back();
    EXPECT_EQ(to_json(root).error().substr(0, 20), ".children[0].childre");
}

TEST(JsonCodec, VariantsCarryTheNameOfTheirAlternative)
{
    using Shape = std::variant<std::monostate, Point, Named, std::string, Isbn>;
    expect_both_ways(Shape{}, "null");
    expect_both_ways(Shape{Point{1, std::nullopt}}, R"({"Point":{"x":1,"y":null}})");
    expect_both_ways(Shape{Named{"n"}}, R"({"Named":{"name":"n"}})");
    expect_both_ways(Shape{std::string{"t"}}, R"({"string":"t"})");
    expect_both_ways(Shape{Isbn{"1"}}, R"({"isbn":"isbn:1"})");
    EXPECT_EQ(problem_of<Shape>(R"({"Circle":1})"), ".Circle: no alternative has this name");
    EXPECT_EQ(
        problem_of<Shape>(R"({"Point":{"x":1},"Named":{}})"), "expected an object with one member"
    );
    EXPECT_EQ(
        (problem_of<std::variant<int, std::string>>("null")), "expected an object with one member"
    );
}

TEST(JsonCodec, TimesGoBothWaysWithTheirPrecision)
{
    const sys_days day = std::chrono::year{2026} / 1 / 31;
    expect_both_ways(day, "\"2026-01-31\"");
    expect_both_ways(std::chrono::year_month_day{day}, "\"2026-01-31\"");
    expect_both_ways(sys_time<std::chrono::seconds>{day + 12h}, "\"2026-01-31T12:00:00Z\"");
    expect_both_ways(sys_time<std::chrono::minutes>{day + 12h}, "\"2026-01-31T12:00:00Z\"");
    expect_both_ways(
        sys_time<std::chrono::milliseconds>{day + 1ms}, "\"2026-01-31T00:00:00.001Z\""
    );
    expect_both_ways(
        sys_time<std::chrono::nanoseconds>{day + 23h + 59min + 59s + 999999999ns},
        "\"2026-01-31T23:59:59.999999999Z\""
    );
    expect_both_ways(
        sys_time<std::chrono::microseconds>{sys_days{} - 1us}, "\"1969-12-31T23:59:59.999999Z\""
    );
    expect_both_ways(90s, "\"90s\"");
    expect_both_ways(-1500ms, "\"-1500ms\"");
    expect_both_ways(std::chrono::days{2}, "\"2d\"");
}

TEST(JsonCodec, ADurationInAnotherUnitIsRefused)
{
    EXPECT_EQ(problem_of<std::chrono::milliseconds>("\"30s\""), "expected a duration like 90ms");
    EXPECT_EQ(problem_of<std::chrono::seconds>("30"), "expected a duration like 90s");
    EXPECT_EQ(problem_of<std::chrono::seconds>("\"s\""), "expected a duration like 90s");
    EXPECT_EQ(
        problem_of<std::chrono::seconds>("\"99999999999999999999s\""),
        "expected a duration like 90s"
    );
}

TEST(JsonCodec, TimesThatAreNoTimesAreNotWritten)
{
    EXPECT_FALSE(to_json(sys_days::max()));
    EXPECT_FALSE(to_json(sys_days::min()));
    EXPECT_FALSE(to_json(sys_days{std::chrono::days{24'676'000}})
    );  // whose year wraps to one of ours
    EXPECT_FALSE(to_json(sys_time<std::chrono::nanoseconds>::max()));
    EXPECT_FALSE(to_json(sys_time<std::chrono::nanoseconds>::min()));
    EXPECT_FALSE(to_json(sys_time<std::chrono::microseconds>::min()));
    EXPECT_FALSE(to_json(sys_time<std::chrono::hours>::max()));
    expect_both_ways(sys_days{std::chrono::year{9999} / 12 / 31}, "\"9999-12-31\"");
    expect_both_ways(sys_days{std::chrono::year{0} / 1 / 1}, "\"0000-01-01\"");
}

TEST(JsonCodec, AValueOfAnotherTypeThatIsNearlyRightIsRefused)
{
    EXPECT_EQ(problem_of<double>("9007199254740993"), "the number would be rounded");
    EXPECT_EQ(problem_of<float>("123456789.01"), "the number would be rounded");
    EXPECT_EQ(problem_of<double>("12.50"), "none");
    EXPECT_EQ(problem_of<std::set<int>>("[7,7,9]"), "[1]: it is there a second time");
}

TEST(JsonCodec, EqualUnorderedSetsAreEqualTexts)
{
    std::unordered_set<std::string> forwards;
    std::unordered_set<std::string> backwards;
    for (int i = 0; i < 100; ++i) forwards.insert(std::to_string(i));
    backwards.rehash(1000);
    for (int i = 99; i >= 0; --i) backwards.insert(std::to_string(i));

    EXPECT_EQ(*to_json(forwards), *to_json(backwards));
    EXPECT_EQ((from_json<std::unordered_set<std::string>>(*to_json(forwards))), backwards);
    EXPECT_EQ(*to_json(std::unordered_set<int>{}), "[]");
}

TEST(JsonCodec, TimesThatDoNotExistAreRefused)
{
    using Seconds = sys_time<std::chrono::seconds>;
    for (const std::string text :
         {"2026-02-30T00:00:00Z",
          "2026-01-31T24:00:00Z",
          "2026-01-31T00:60:00Z",
          "2026-01-31T00:00:60Z",
          "2026-01-31 00:00:00Z",
          "2026-01-31T00:00:00",
          "2026-01-31T00:00:00.Z",
          "26-01-31T00:00:00Z",
          "2026-01-31T00:00:00Zx",
          "+026-01-31T00:00:00Z",
          ""}) {
        EXPECT_EQ(
            problem_of<Seconds>('"' + text + '"'), "expected a time like 2026-01-31T12:00:00Z"
        ) << text;
    }
    EXPECT_EQ(problem_of<Seconds>("\"2026-01-31T00:00:00.5Z\""), "the time is more precise");
    EXPECT_EQ(
        problem_of<sys_time<std::chrono::minutes>>("\"2026-01-31T00:00:01Z\""),
        "the time is more precise"
    );
    EXPECT_EQ(
        problem_of<sys_time<std::chrono::nanoseconds>>("\"9999-01-31T00:00:00Z\""),
        "the time is not in the years 0 to 9999, or does not fit"
    );
    EXPECT_EQ(problem_of<sys_days>("\"2026-02-29\""), "expected a date like 2026-01-31");
    EXPECT_EQ(
        to_json(Seconds::max()).error(), "the time is not in the years 0 to 9999, or does not fit"
    );
    EXPECT_FALSE(to_json(std::chrono::year_month_day{std::chrono::year{2026} / 2 / 30}));
}

TEST(JsonCodec, WhatDoesNotFitIsRefusedWithItsPlace)
{
    EXPECT_EQ(problem_of<std::int8_t>("128"), "128 is no integer from -128 to 127");
    EXPECT_EQ(problem_of<unsigned>("-1"), "-1 is no integer from 0 to 4294967295");
    EXPECT_EQ(problem_of<int>("1.0"), "1.0 is no integer from -2147483648 to 2147483647");
    EXPECT_EQ(problem_of<int>("\"1\""), "expected a number");
    EXPECT_EQ(problem_of<float>("1e60"), "the number does not fit");
    EXPECT_EQ(problem_of<bool>("1"), "expected true or false");
    EXPECT_EQ(problem_of<std::string>("null"), "expected a string");
    EXPECT_EQ(problem_of<Colour>("\"blue\""), "expected the name of an enumerator");
    EXPECT_EQ((problem_of<std::array<int, 2>>("[1]")), "expected 2 elements");
    EXPECT_EQ(
        (problem_of<std::map<int, int>>(R"({"1":2,"x":3})")),
        ".x: x is no integer from -2147483648 to 2147483647"
    );
    EXPECT_EQ(
        problem_of<Node>(R"({"value":1,"children":[{"value":2,"children":7}]})"),
        ".children[0].children: expected an array"
    );
    EXPECT_EQ(problem_of<int>("1 2").substr(0, 9), "not JSON:");
}

TEST(JsonCodec, AMissingOrUnknownMemberIsRefused)
{
    EXPECT_EQ(problem_of<Named>("{}"), ".name: the member is missing");
    EXPECT_EQ(problem_of<Point>(R"({"x":1})"), "none");  // optional
    EXPECT_EQ(problem_of<Point>(R"({"x":1,"z":2})"), ".z: there is no such member");
    EXPECT_EQ(problem_of<Named>("[]"), "expected an object");
}

TEST(JsonCodec, WhatHasNoJsonFormIsRefusedWithItsPlace)
{
    EXPECT_EQ(
        to_json(Point{1, std::numeric_limits<double>::quiet_NaN()}).error(),
        ".y: JSON has no infinite numbers and no NaN"
    );
    EXPECT_EQ(
        to_json(std::vector<Named>{{"a"}, {"\xff"}}).error(),
        "[1].name: the text is not valid UTF-8"
    );
    EXPECT_EQ(to_json(static_cast<Colour>(7)).error(), "the value has no enumerator");
    EXPECT_FALSE(to_json(std::map<std::string, int>{{"\xff", 1}}));
}

TEST(Decimal, IsReadExactlyAndKeepsItsDecimals)
{
    for (const std::string text :
         {"0", "0.00", "-12.50", "999999999999999999", "0.000000000000000001", "-0.5", "1500"}) {
        const auto read = Decimal::parse(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(read->text(), text);
    }
    for (const std::string text :
         {"", "-", ".5", "5.", "1e3", "1,5", "+1", " 1", "1.2.3", "--1", "0x1"}) {
        EXPECT_EQ(Decimal::parse(text).error().code, Errc::invalid_argument) << text;
    }
    EXPECT_EQ(Decimal::parse("1000000000000000000").error().code, Errc::limit_exceeded);
    EXPECT_EQ(Decimal::parse("0.0000000000000000001").error().code, Errc::limit_exceeded);
    EXPECT_FALSE(Decimal::from_units(1, 19));
    EXPECT_FALSE(Decimal::from_units(std::numeric_limits<std::int64_t>::min(), 0));
}

TEST(Decimal, IsComparedByValue)
{
    const auto decimal = [](std::string_view text) { return *Decimal::parse(text); };

    EXPECT_EQ(decimal("12.5"), decimal("12.50"));
    EXPECT_EQ(decimal("-0"), decimal("0.000"));
    EXPECT_LT(decimal("-0.5"), decimal("0.5"));
    EXPECT_LT(decimal("-12.51"), decimal("-12.5"));
    EXPECT_LT(decimal("0.000000000000000001"), decimal("999999999999999999"));
    EXPECT_EQ(decimal("12.50").units_at(2), 1250);
    EXPECT_EQ(decimal("12.5").units_at(4), 125'000);
    EXPECT_EQ(decimal("12.50").units_at(1), 125);
    EXPECT_EQ(decimal("12.55").units_at(1), std::nullopt);
    EXPECT_EQ(decimal("999999999999999999").units_at(2), std::nullopt);
}

}  // namespace
}  // namespace umavez
