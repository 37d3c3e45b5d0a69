// The table of transitions, written a second time as a person would draw it.

#include "modules/cobranca/estado.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace umavez::cobranca {
namespace {

constexpr EstadoAssinatura estados[] = {
    EstadoAssinatura::ativa, EstadoAssinatura::suspensa, EstadoAssinatura::cancelada
};

TEST(EstadoAssinatura, OnlyTheDrawnStepsAreAllowed)
{
    const std::set<std::string> drawn = {
        "ativa ativa",
        "ativa suspensa",
        "ativa cancelada",
        "suspensa ativa",
        "suspensa suspensa",
        "suspensa cancelada",
    };

    for (const EstadoAssinatura from : estados) {
        for (const EstadoAssinatura to : estados) {
            const std::string step = std::string{to_text(from)} + " " + std::string{to_text(to)};
            EXPECT_EQ(may_become(from, to), drawn.contains(step)) << step;
        }
        EXPECT_EQ(is_final(from), from == EstadoAssinatura::cancelada);
    }
}

TEST(Estado, EveryWordIsReadBackFromItsText)
{
    for (const EstadoAssinatura estado : estados) {
        EXPECT_EQ(parse_estado_assinatura(to_text(estado)), estado);
    }
    for (const EstadoFatura estado :
         {EstadoFatura::aberta, EstadoFatura::paga, EstadoFatura::cancelada}) {
        EXPECT_EQ(parse_estado_fatura(to_text(estado)), estado);
    }
    for (const Ciclo ciclo : {Ciclo::mensal, Ciclo::anual}) {
        EXPECT_EQ(parse_ciclo(to_text(ciclo)), ciclo);
    }

    EXPECT_FALSE(parse_estado_assinatura("paga"));
    EXPECT_FALSE(parse_estado_fatura("ativa"));
    EXPECT_FALSE(parse_ciclo("Mensal"));
    EXPECT_FALSE(parse_ciclo(""));
}

}  // namespace
}  // namespace umavez::cobranca
