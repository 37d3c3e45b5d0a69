#include "http/language.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

std::string_view chosen(std::vector<std::string> lines)
{
    std::vector<Header> headers;
    for (std::string& line : lines) headers.push_back({"accept-language", std::move(line)});
    return to_tag(choose_language(headers));
}

TEST(Language, EveryPortugueseIsPortuguese)
{
    for (const char* const wish :
         {"pt", "pt-BR", "PT-br", "pt-PT", "pt-AO, en;q=0.5", "fr, pt;q=0.1"}) {
        EXPECT_EQ(chosen({wish}), "pt-BR") << wish;
    }
}

TEST(Language, WithoutAWishThatCanBeMetItIsEnglish)
{
    EXPECT_EQ(chosen({}), "en");
    for (const char* const wish :
         {"", "*", "en", "en-GB", "fr", "ptx", "p", "pt;q=0", ";q=1", ",,"}) {
        EXPECT_EQ(chosen({wish}), "en") << wish;
    }
}

TEST(Language, TheHigherQualityWins)
{
    EXPECT_EQ(chosen({"en;q=0.8, pt;q=0.9"}), "pt-BR");
    EXPECT_EQ(chosen({"en;q=0.9, pt;q=0.899"}), "en");
    EXPECT_EQ(chosen({"pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7"}), "pt-BR");
    EXPECT_EQ(chosen({"en-US,en;q=0.9,pt-BR;q=0.8,pt;q=0.7"}), "en");
    EXPECT_EQ(chosen({"en ; Q=0.5", "pt ; q = 0.6"}), "pt-BR");
}

TEST(Language, OfTwoEqualsTheFirstWins)
{
    EXPECT_EQ(chosen({"pt, en"}), "pt-BR");
    EXPECT_EQ(chosen({"en, pt"}), "en");
    EXPECT_EQ(chosen({"pt"}), chosen({"pt;q=1.000"}));
}

TEST(Language, AStarSpeaksOfTheLanguagesThatAreNotNamed)
{
    EXPECT_EQ(chosen({"pt;q=0.5, *"}), "en");
    EXPECT_EQ(chosen({"en;q=0.5, *"}), "pt-BR");
    EXPECT_EQ(chosen({"en;q=0, *;q=0.1"}), "pt-BR");
    EXPECT_EQ(chosen({"pt;q=0.5, *;q=0.1"}), "pt-BR");
}

TEST(Language, WhatCannotBeReadIsLeftOut)
{
    for (const char* const wish :
         {"pt;q=2", "pt;q=", "pt;q=a", "pt;q=0.1234", "pt;q=1.001", "pt;q=-1"}) {
        EXPECT_EQ(chosen({wish}), "en") << wish;
    }
    EXPECT_EQ(chosen({"pt;q=x, pt;q=0.2"}), "pt-BR");
}

}  // namespace
}  // namespace umavez::http
