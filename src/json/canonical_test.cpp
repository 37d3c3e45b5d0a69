#include <umavez/fingerprint.hpp>

#include <gtest/gtest.h>

#include <string>

namespace umavez {
namespace {

std::string canonical(std::string_view text)
{
    auto result = canonical_json(text);
    return result ? *std::move(result) : "refused: " + result.error().detail;
}

TEST(Canonical, MembersAreSortedAndSpaceIsGone)
{
    EXPECT_EQ(canonical(" { \"b\" : 1 , \"a\" : [ 2 , 1 ] } \n"), R"({"a":[2,1],"b":1})");
    EXPECT_EQ(
        canonical(R"({"b":{},"a":[[],{}],"aa":{"y":1,"x":{"w":0}}})"),
        R"({"a":[[],{}],"aa":{"x":{"w":0},"y":1},"b":{}})"
    );
}

TEST(Canonical, NamesAreSortedByUtf16CodeUnits)
{
    // U+10000 is D800 DC00 in UTF-16, so it stands before U+E000 and after U+D7FF.
    EXPECT_EQ(
        canonical("{\"\xee\x80\x80\":1,\"\xf0\x90\x80\x80\":2,\"\xed\x9f\xbf\":3}"),
        "{\"\xed\x9f\xbf\":3,\"\xf0\x90\x80\x80\":2,\"\xee\x80\x80\":1}"
    );
}

TEST(Canonical, NamesThatShareTheirBeginningAreSortedByTheRest)
{
    EXPECT_EQ(
        canonical(R"({"prefixed-b":1,"prefixed-a":2,"prefixed":3,"prefixe":4})"),
        R"({"prefixe":4,"prefixed":3,"prefixed-a":2,"prefixed-b":1})"
    );
    EXPECT_EQ(canonical(R"({"a\u0000":1,"a":2})"), R"({"a":2,"a\u0000":1})");
    EXPECT_EQ(
        canonical("{\"prefixed\xee\x80\x80\":1,\"prefixed\xf0\x90\x80\x80\":2}"),
        "{\"prefixed\xf0\x90\x80\x80\":2,\"prefixed\xee\x80\x80\":1}"
    );
}

TEST(Canonical, OnlyWhatMustBeEscapedIsEscaped)
{
    EXPECT_EQ(
        canonical(R"("\u0022\u005c\/\u0008\u0009\u000a\u000C\u000d\u0001\u001F\u007f\u2028")"),
        "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\xe2\x80\xa8\""
    );
}

TEST(Canonical, NumbersThatADoubleKeepsPrintAsInEcmaScript)
{
    EXPECT_EQ(canonical("[0,-0,0.0,-0.0e9,0e99999999999999999999]"), "[0,0,0,0,0]");
    EXPECT_EQ(canonical("[1,1.0,1e0,10e-1,0.1e1,1E+0]"), "[1,1,1,1,1,1]");
    EXPECT_EQ(
        canonical("[1e20,1e21,123e19,-1.5e300]"), "[100000000000000000000,1e+21,1.23e+21,-1.5e+300]"
    );
    EXPECT_EQ(
        canonical("[0.000001,0.0000010,1e-7,0.00000012,0.1234567]"),
        "[0.000001,0.000001,1e-7,1.2e-7,0.1234567]"
    );
    EXPECT_EQ(
        canonical("[9007199254740992,0.30000000000000004,5e-324]"),
        "[9007199254740992,0.30000000000000004,5e-324]"
    );
    EXPECT_EQ(canonical("[123456789012345680000,19.990]"), "[123456789012345680000,19.99]");
}

TEST(Canonical, NumbersThatADoubleWouldChangeKeepAllDigits)
{
    EXPECT_EQ(canonical("9007199254740993"), "9.007199254740993e+15");
    EXPECT_EQ(canonical("18446744073709551615"), "1.8446744073709551615e+19");
    EXPECT_EQ(canonical("0.1000000000000000055511151"), "1.000000000000000055511151e-1");
    EXPECT_EQ(canonical("-123.4567890123456789000"), "-1.234567890123456789e+2");
    EXPECT_EQ(canonical("1e-400"), "1e-400");
    EXPECT_EQ(canonical("0.00012e-400"), "1.2e-404");
    EXPECT_EQ(canonical("4.9e-324"), "4.9e-324");
}

TEST(Canonical, OverflowBeginsHalfwayAboveTheLargestDouble)
{
    // 2^1024 - 2^970, the first integer that rounds to infinity.
    const std::string first_infinite =
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587"
        "207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845"
        "817711"
        "531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699"
        "508093"
        "042880177904174497792";
    std::string last_finite = first_infinite;
    last_finite.back() = '1';

    EXPECT_EQ(canonical(first_infinite), "refused: byte 0: number beyond the range of a double");
    EXPECT_EQ(canonical(first_infinite + ".0"), canonical(first_infinite));
    EXPECT_FALSE(canonical(last_finite).starts_with("refused"));
    EXPECT_FALSE(canonical(last_finite + ".999").starts_with("refused"));
    EXPECT_FALSE(canonical("0.000" + last_finite + "e312").starts_with("refused"));
}

TEST(Canonical, PiecesLongerThanTheBufferArrive)
{
    const std::string long_string = '"' + std::string(100'000, 'x') + '"';
    std::string list = "[";
    for (int i = 0; i < 5'000; ++i) list += long_string.substr(0, 7) + "\",1.5,";
    list.back() = ']';

    EXPECT_EQ(canonical(long_string), long_string);
    EXPECT_EQ(canonical(list), list);
}

}  // namespace
}  // namespace umavez
