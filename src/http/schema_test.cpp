#include "http/schema.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

TEST(Schema, IntegersAreWithinTheirRange)
{
    const Schema page = integer({.min = 1, .max = 100});

    EXPECT_TRUE(accepts(page, "1"));
    EXPECT_TRUE(accepts(page, "100"));
    for (const char* const text :
         {"0", "101", "", "+1", " 1", "1 ", "1.0", "0x1", "99999999999999999999"})
        EXPECT_FALSE(accepts(page, text)) << text;
    EXPECT_TRUE(accepts(integer(), "-9223372036854775808"));
}

TEST(Schema, TextsAreCountedInCharacters)
{
    EXPECT_TRUE(accepts(text({.max = 3}), "ção"));
    EXPECT_FALSE(accepts(text({.max = 2}), "ção"));
    EXPECT_FALSE(accepts(text({.min = 1}), ""));
    EXPECT_FALSE(accepts(text(), "\xff"));
}

TEST(Schema, MoneyHasAtMostTwoDecimals)
{
    for (const char* const good : {"1500", "1500.0", "1500.00", "-1.5"})
        EXPECT_TRUE(accepts(money(), good)) << good;
    for (const char* const bad : {"", ".5", "1.", "1.005", "1e3", "1,5", "R$1"})
        EXPECT_FALSE(accepts(money(), bad)) << bad;
}

TEST(Schema, TimesAreThoseOfRfc3339)
{
    for (const char* const good :
         {"2026-01-31T12:00:00Z", "2024-02-29t23:59:60.123456z", "2026-01-31T12:00:00-03:00"})
        EXPECT_TRUE(accepts(date_time(), good)) << good;
    for (const char* const bad :
         {"",
          "2026-01-31",
          "2026-01-31T12:00:00",
          "2026-02-29T12:00:00Z",
          "2026-01-31T24:00:00Z",
          "2026-01-31T12:60:00Z",
          "2026-01-31T12:00:61Z",
          "2026-01-31T12:00:00.Z",
          "2026-01-31T12:00:00+3",
          "2026-01-31T12:00:00Zjunk"})
        EXPECT_FALSE(accepts(date_time(), bad)) << bad;
    EXPECT_TRUE(accepts(date(), "2024-02-29"));
    EXPECT_FALSE(accepts(date(), "2026-13-01"));
}

TEST(Schema, WordsAndTruth)
{
    EXPECT_TRUE(accepts(one_of({"a", "b"}), "b"));
    EXPECT_FALSE(accepts(one_of({"a", "b"}), "B"));
    EXPECT_TRUE(accepts(boolean(), "false"));
    EXPECT_FALSE(accepts(boolean(), "1"));
    EXPECT_FALSE(accepts(object({}), "{}"));
}

TEST(Schema, IsWrittenAsJsonSchema)
{
    const Schema cliente = object({
        {.name = "id", .type = integer({.min = 1}), .description = "a \"number\"", .example = "7"},
        {.name = "nome", .type = text({.max = 255, .min = 1}).or_null(), .required = false},
        {.name = "estado", .type = one_of({"a"})},
    });

    EXPECT_EQ(
        to_json(cliente),
        R"({"type":"object","properties":{)"
        R"("id":{"type":"integer","minimum":1,"description":"a \"number\"","examples":[7]},)"
        R"("nome":{"type":["string","null"],"minLength":1,"maxLength":255},)"
        R"("estado":{"type":"string","enum":["a"]}},"required":["id","estado"]})"
    );
    EXPECT_EQ(
        to_json(array_of(cliente.named("Cliente"))),
        R"({"type":"array","items":{"$ref":"#/components/schemas/Cliente"}})"
    );
    EXPECT_EQ(to_json(Field{.name = "x", .description = "d"}), R"({"description":"d"})");
    EXPECT_EQ(to_json(any()), "{}");
}

TEST(Schema, IsSaidInWords)
{
    EXPECT_EQ(to_words(integer({.min = 1, .max = 100})).english, "an integer from 1 to 100");
    EXPECT_EQ(to_words(integer({.min = 1})).english, "an integer of at least 1");
    EXPECT_EQ(to_words(text({.max = 9})).english, "text of at most 9 characters");
    EXPECT_EQ(to_words(text()).english, "text");
    EXPECT_EQ(to_words(integer({.max = 9})).portuguese, "um inteiro de no máximo 9");
}

}  // namespace
}  // namespace umavez::http
