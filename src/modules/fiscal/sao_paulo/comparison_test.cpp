#include "modules/fiscal/sao_paulo/comparison.hpp"

#include "modules/fiscal/sao_paulo/answers.hpp"
#include "modules/fiscal/sao_paulo/test_documents.hpp"

#include <gtest/gtest.h>

namespace umavez::fiscal::sao_paulo {
namespace {

using namespace test_documents;

const SpRpsKey key = SpRpsKey::parse(rps_key).value();

TEST(ComparisonTest, WhatTheCityHoldsIsComparedByWhatBothSay)
{
    const std::string sent = make_rps();
    const auto is_ours = [](const std::string& rps, const NotaWish& wish) {
        const std::string body = consulta_answer("true", nota(wish));
        return read_consult({.status = 200, .body = body}, {.key = key, .sent = rps}).is_ours;
    };
    EXPECT_EQ(is_ours(sent, {}), true);
    EXPECT_EQ(is_ours(sent, {.data = "<DataEmissaoRPS>2007-01-03-03:00</DataEmissaoRPS>"}), true);
    EXPECT_EQ(is_ours(sent, {.valor = "<ValorServicos>20500</ValorServicos>"}), true);
    EXPECT_EQ(is_ours(sent, {.valor = "<ValorServicos>20500.01</ValorServicos>"}), false);
    EXPECT_EQ(is_ours(sent, {.data = "<DataEmissaoRPS>2007-01-04</DataEmissaoRPS>"}), false);
    EXPECT_EQ(
        is_ours(sent, {.more = "<CPFCNPJTomador><CPF>13167474255</CPF></CPFCNPJTomador>"}), false
    );
    EXPECT_EQ(is_ours(sent, {.valor = "<ValorServicos>x</ValorServicos>"}), std::nullopt);
    EXPECT_EQ(is_ours(sent, {.valor = ""}), std::nullopt);
    EXPECT_EQ(is_ours(sent, {.data = ""}), std::nullopt);
    EXPECT_EQ(is_ours(sent, {.rps = ""}), std::nullopt);
    EXPECT_EQ(is_ours(sent, {.more = ""}), true);
    EXPECT_EQ(is_ours("", {}), std::nullopt);
    EXPECT_EQ(is_ours("rubbish", {}), std::nullopt);
    EXPECT_EQ(
        is_ours(make_rps({.tomador = ""}), {}), true  // whom the city names, we did not
    );
    const auto document = xml::Document::parse(nota({.rps = chave_rps("2")}));
    EXPECT_EQ(is_made_of_rps(document->root(), sent), false);
    // Layout 2 has the amount that was sent under its own name, and one that the city has computed.
    const std::string two = make_rps(layout_two());
    const std::string rps_two =
        "<ChaveRPS><InscricaoPrestador>123456789012</InscricaoPrestador><SerieRPS>RTNT</SerieRPS>"
        "<NumeroRPS>1</NumeroRPS></ChaveRPS>";
    const auto compare_two = [&](const std::string& valor) {
        const auto note = xml::Document::parse(nota(
            {.rps = rps_two,
             .data = "<DataEmissaoRPS>2026-01-01</DataEmissaoRPS>",
             .valor = "<ValorServicos>19000.00</ValorServicos>" + valor}
        ));
        return is_made_of_rps(note->root(), two);
    };
    EXPECT_EQ(compare_two("<ValorInicialCobrado>20500.00</ValorInicialCobrado>"), true);
    EXPECT_EQ(compare_two("<ValorInicialCobrado>1.00</ValorInicialCobrado>"), false);
    EXPECT_EQ(compare_two("<ValorFinalCobrado>1.00</ValorFinalCobrado>"), std::nullopt);
}

}  // namespace
}  // namespace umavez::fiscal::sao_paulo
