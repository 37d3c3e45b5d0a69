// The table of transitions, written a second time as a person would draw it.

#include "modules/propostas/estado.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace umavez::propostas {
namespace {

constexpr Estado estados[] = {
    Estado::rascunho, Estado::enviada, Estado::aceita, Estado::recusada, Estado::cancelada
};
constexpr Passo passos[] = {
    Passo::alterar, Passo::submeter, Passo::aceitar, Passo::recusar, Passo::cancelar
};

TEST(Estado, OnlyTheDrawnStepsLeadOn)
{
    const std::map<std::string, std::string> drawn = {
        {"rascunho alterar", "rascunho"},
        {"rascunho submeter", "enviada"},
        {"rascunho cancelar", "cancelada"},
        {"enviada aceitar", "aceita"},
        {"enviada recusar", "recusada"},
        {"enviada cancelar", "cancelada"},
    };

    for (const Estado estado : estados) {
        for (const Passo passo : passos) {
            const std::string step =
                std::string{to_text(estado)} + " " + std::string{to_text(passo)};
            const auto after = estado_after(estado, passo);
            const auto expected = drawn.find(step);
            ASSERT_EQ(after.has_value(), expected != drawn.end()) << step;
            if (after) {
                EXPECT_EQ(to_text(*after), expected->second) << step;
            }
        }
    }
}

TEST(Estado, EveryStateIsReadBackFromItsText)
{
    for (const Estado estado : estados) EXPECT_EQ(parse_estado(to_text(estado)), estado);

    EXPECT_FALSE(parse_estado("Rascunho"));
    EXPECT_FALSE(parse_estado(""));
}

}  // namespace
}  // namespace umavez::propostas
