// Members of a body with their rules, and that every mistake is told, once.

#include "key_protocol/body_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace umavez::key_protocol {
namespace {

// The errors as JSON, empty for none.
std::string errors_of(
    std::string_view body,
    std::initializer_list<std::string_view> known,
    const std::function<void(BodyFields&)>& read
)
{
    const auto tree = JsonTree::parse(body);
    EXPECT_TRUE(tree) << body;
    BodyFields fields{&*tree, known};
    read(fields);
    const auto problem = fields.problem(http::Language::english);
    if (!problem) return "";
    EXPECT_EQ(problem->name, "validation");
    return problem->members.at(0).json;
}

std::string error_of_text(std::string_view body)
{
    return errors_of(body, {"t"}, [](BodyFields& fields) { fields.text("t", 5); });
}

TEST(BodyFields, TextsAreMeasuredInCharacters)
{
    EXPECT_EQ(error_of_text(R"({"t":"ação!"})"), "");
    EXPECT_EQ(error_of_text(R"({"t":"😀😀😀😀😀"})"), "");
    for (const char* const body :
         {R"({"t":"a\nb"})", R"({"t":"a\u0000"})", R"({"t":1})", R"({"t":null})", R"({"t":["a"]})"
         }) {
        EXPECT_EQ(
            error_of_text(body),
            R"([{"field":"t","message":"must be a text of 1 to 5 characters in one line"}])"
        ) << body;
    }
}

TEST(BodyFields, ATextIsToldWhatIsWrongWithIt)
{
    const auto error_of = [](std::string_view body) {
        return errors_of(body, {"t"}, [](BodyFields& fields) { fields.text("t", 5); });
    };

    EXPECT_THAT(error_of(R"({"t":"ações!"})"), ::testing::HasSubstr("has 6 characters, at most 5"));
    EXPECT_THAT(error_of(R"({"t":""})"), ::testing::HasSubstr("is empty"));
    for (const char* const blank : {R"({"t":"  \u00a0\u200b"})", R"({"t":"\u202e\u2066"})"}) {
        EXPECT_THAT(error_of(blank), ::testing::HasSubstr("shows nothing: it is blank"));
    }
}

TEST(BodyFields, IntegersAreReadByValue)
{
    const auto error_of = [](std::string_view body) {
        return errors_of(body, {"n"}, [](BodyFields& fields) {
            if (fields.integer("n") != 20) fields.refuse("value", {"not 20", ""});
        });
    };

    for (const char* const body :
         {R"({"n":20})", R"({"n":20.0})", R"({"n":2e1})", R"({"n":2.0E+1})"}) {
        EXPECT_EQ(error_of(body), "") << body;
    }
    for (const char* const body :
         {R"({"n":0})",
          R"({"n":-1})",
          R"({"n":1.5})",
          R"({"n":"20"})",
          R"({"n":true})",
          R"({"n":1e18})",
          R"({"n":9223372036854775808})",
          R"({"n":1e300})"}) {
        EXPECT_THAT(
            error_of(body), ::testing::HasSubstr("must be an integer from 1 to 999999999999999999")
        ) << body;
    }
}

TEST(BodyFields, MoneySaysWhatIsWrongWithIt)
{
    const auto error_of = [](std::string_view body) {
        return errors_of(body, {"m"}, [](BodyFields& fields) { fields.money("m"); });
    };

    EXPECT_EQ(error_of(R"({"m":1500.00})"), "");
    EXPECT_THAT(error_of(R"({"m":0.001})"), ::testing::HasSubstr("more than two decimals"));
    EXPECT_THAT(error_of(R"({"m":1e8})"), ::testing::HasSubstr("from 0.00 to 99999999.99"));
    EXPECT_THAT(error_of(R"({"m":"1500.00"})"), ::testing::HasSubstr("without quotes"));
    EXPECT_THAT(error_of(R"({"m":null})"), ::testing::HasSubstr("without quotes"));
}

TEST(BodyFields, EveryMistakeIsToldOnce)
{
    const std::string errors =
        errors_of(R"({"valr":1,"nome":7})", {"nome", "valor"}, [](auto& fields) {
            fields.text("nome", 5);
            fields.text("nome", 5);
            fields.money("valor");
        });

    EXPECT_EQ(
        errors,
        R"([{"field":"valr","message":"is not known here; this operation takes nome, valor"},)"
        R"({"field":"nome","message":"must be a text of 1 to 5 characters in one line"},)"
        R"({"field":"valor","message":"is missing"}])"
    );
}

TEST(BodyFields, AHundredThousandUnknownMembersAreAShortAnswer)
{
    std::string body = "{";
    for (int i = 0; i < 100'000; ++i) body += '"' + std::to_string(i) + R"(":0,)";
    body.back() = '}';

    EXPECT_LT(errors_of(body, {"m"}, [](BodyFields&) {}).size(), 10'000u);
}

TEST(BodyFields, WhatIsNoObjectIsOneMistake)
{
    for (const char* const body : {"[]", "null", "7", R"("text")"}) {
        EXPECT_EQ(
            errors_of(body, {"m"}, [](BodyFields& fields) { fields.money("m"); }),
            R"([{"field":"","message":"the body must be a JSON object"}])"
        ) << body;
    }
}

TEST(BodyFields, NoBodyIsAnEmptyObject)
{
    BodyFields fields{nullptr, {"versao"}};

    EXPECT_EQ(fields.find_integer("versao"), std::nullopt);
    EXPECT_FALSE(fields.problem(http::Language::english));
    fields.integer("versao");
    EXPECT_TRUE(fields.problem(http::Language::english));
}

}  // namespace
}  // namespace umavez::key_protocol
