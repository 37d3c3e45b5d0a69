// Bodies as clients send them: what is accepted, and that what is wrong is named.

#include "modules/cobranca/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::cobranca {
namespace {

using ::testing::HasSubstr;

constexpr auto english = http::Language::english;

template <typename T>
using Reader = Read<T> (*)(const JsonTree*, http::Language);

// The errors as JSON; "" where the body is right.
template <typename T>
std::string errors_of(Reader<T> read, const std::string& body, http::Language language = english)
{
    const auto tree = JsonTree::parse(body);
    const auto value = read(&*tree, language);
    return value ? "" : value.error().members.at(0).json;
}

TEST(Input, EveryWrongFieldOfASubscriptionIsNamed)
{
    EXPECT_EQ(
        errors_of(
            read_nova_assinatura, R"({"cliente":"","valor":0,"ciclo":"semanal","moeda":"BRL"})"
        ),
        R"([{"field":"moeda","message":"is not known here; this operation takes )"
        R"(cliente, plano, valor, ciclo"},)"
        R"({"field":"cliente","message":"is empty"},)"
        R"({"field":"plano","message":"is missing"},)"
        R"({"field":"valor","message":"must be at least 0.01"},)"
        R"({"field":"ciclo","message":"must be one of mensal, anual"}])"
    );
    EXPECT_EQ(
        errors_of(
            read_nova_assinatura,
            R"({"cliente":"c","plano":"p","valor":0.00,"ciclo":"anual"})",
            http::Language::portuguese
        ),
        R"([{"field":"valor","message":"deve ser no mínimo 0.01"}])"
    );
}

TEST(Input, ASubscriptionIsRead)
{
    const auto tree =
        JsonTree::parse(R"({"cliente":"joao","plano":"ouro","valor":300,"ciclo":"anual"})");

    const auto nova = read_nova_assinatura(&*tree, english);

    ASSERT_TRUE(nova);
    EXPECT_EQ(nova->cliente, "joao");
    EXPECT_EQ(nova->plano, "ouro");
    EXPECT_EQ(nova->valor.text(), "300.00");
    EXPECT_EQ(nova->ciclo, Ciclo::anual);
}

TEST(Input, AChangeNamesAtLeastOneThingThatChanges)
{
    EXPECT_EQ(errors_of(read_assinatura_changes, R"({"plano":"prata","versao":1})"), "");
    EXPECT_EQ(errors_of(read_assinatura_changes, R"({"estado":"suspensa"})"), "");
    EXPECT_THAT(
        errors_of(read_assinatura_changes, R"({"versao":1})"),
        HasSubstr("at least one of plano, valor, estado")
    );
    EXPECT_THAT(
        errors_of(read_assinatura_changes, R"({"estado":"paga","versao":1})"),
        HasSubstr("must be one of ativa, suspensa, cancelada")
    );
    EXPECT_THAT(errors_of(read_assinatura_changes, R"({"plano":null})"), HasSubstr("plano"));
    EXPECT_THAT(errors_of(read_assinatura_changes, R"({"valor":0})"), HasSubstr("at least 0.01"));
    EXPECT_THAT(errors_of(read_assinatura_changes, R"({"estado":7})"), HasSubstr("estado"));
}

TEST(Input, AMonthIsAMonth)
{
    for (const char* const good : {"2026-01", "2026-12", "1900-06", "9999-10"}) {
        EXPECT_TRUE(is_competencia(good)) << good;
    }
    for (const char* const bad :
         {"",
          "2026",
          "2026-00",
          "2026-13",
          "2026-1",
          "2026-001",
          "2026/01",
          "01-2026",
          "1899-12",
          "20a6-01",
          "2026-0a",
          "2026-01-01",
          " 2026-1"}) {
        EXPECT_FALSE(is_competencia(bad)) << bad;
    }
    EXPECT_THAT(
        errors_of(read_nova_fatura, R"({"assinatura_id":1,"competencia":"2026-13"})"),
        HasSubstr("must be a month such as")
    );
}

TEST(Input, APaymentIsAboveZero)
{
    EXPECT_EQ(errors_of(read_pagamento, R"({"fatura_id":1,"valor":0.01,"meio":"pix"})"), "");
    EXPECT_EQ(
        errors_of(read_pagamento, R"({"fatura_id":0,"valor":0,"meio":" "})"),
        R"([{"field":"fatura_id","message":"must be an integer from 1 to 999999999999999999"},)"
        R"({"field":"valor","message":"must be at least 0.01"},)"
        R"({"field":"meio","message":"shows nothing: it is blank"}])"
    );
    EXPECT_THAT(
        errors_of(read_pagamento, R"({"fatura_id":1,"valor":"10.00","meio":"pix"})"),
        HasSubstr("without quotes")
    );
    EXPECT_THAT(
        errors_of(
            read_pagamento, R"({"fatura_id":1,"valor":1,"meio":")" + std::string(51, 'x') + R"("})"
        ),
        HasSubstr("at most 50")
    );
}

}  // namespace
}  // namespace umavez::cobranca
