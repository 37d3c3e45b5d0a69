// The table of transitions, written a second time as a person would draw it: every pair that is not named
// here is refused.

#include "modules/fiscal/rules/estado.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace umavez::fiscal {
namespace {

const std::map<std::string, std::set<std::string>> drawn = {
    {"RESERVADO",
     {"RESERVADO",
      "TRANSMITIDO",
      "INDETERMINADO",
      "AUTORIZADO",
      "DENEGADO",
      "CANCELAMENTO_EM_ANALISE",
      "CANCELADO",
      "SUBSTITUIDO",
      "INUTILIZACAO_PENDENTE"}},
    {"TRANSMITIDO",
     {"RESERVADO",
      "TRANSMITIDO",
      "INDETERMINADO",
      "AUTORIZADO",
      "REJEITADO",
      "DENEGADO",
      "CANCELAMENTO_EM_ANALISE",
      "CANCELADO",
      "SUBSTITUIDO"}},
    {"INDETERMINADO",
     {"TRANSMITIDO",
      "INDETERMINADO",
      "AUTORIZADO",
      "REJEITADO",
      "DENEGADO",
      "CANCELAMENTO_EM_ANALISE",
      "CANCELADO",
      "SUBSTITUIDO"}},
    {"AUTORIZADO",
     {"AUTORIZADO", "CANCELAMENTO_PENDENTE", "CANCELAMENTO_EM_ANALISE", "CANCELADO", "SUBSTITUIDO"}
    },
    {"REJEITADO",
     {"TRANSMITIDO",
      "INDETERMINADO",
      "AUTORIZADO",
      "REJEITADO",
      "DENEGADO",
      "CANCELAMENTO_EM_ANALISE",
      "CANCELADO",
      "SUBSTITUIDO",
      "INUTILIZACAO_PENDENTE"}},
    {"DENEGADO", {}},
    {"CANCELAMENTO_PENDENTE",
     {"AUTORIZADO", "CANCELAMENTO_PENDENTE", "CANCELAMENTO_EM_ANALISE", "CANCELADO", "SUBSTITUIDO"}
    },
    {"CANCELAMENTO_EM_ANALISE",
     {"AUTORIZADO", "CANCELAMENTO_EM_ANALISE", "CANCELADO", "SUBSTITUIDO"}},
    {"CANCELADO", {}},
    {"SUBSTITUIDO", {}},
    {"INUTILIZACAO_PENDENTE",
     {"RESERVADO",
      "REJEITADO",
      "AUTORIZADO",
      "DENEGADO",
      "CANCELAMENTO_EM_ANALISE",
      "CANCELADO",
      "SUBSTITUIDO",
      "INUTILIZACAO_PENDENTE",
      "INUTILIZADO"}},
    {"INUTILIZADO", {}},
};

TEST(Estado, OnlyTheDrawnStepsAreAllowed)
{
    ASSERT_EQ(drawn.size(), all_estados().size());
    for (const Estado from : all_estados()) {
        const auto& targets = drawn.at(std::string{to_text(from)});
        for (const Estado to : all_estados()) {
            EXPECT_EQ(may_become(from, to), targets.contains(std::string{to_text(to)}))
                << to_text(from) << " → " << to_text(to);
        }
        EXPECT_EQ(is_final(from), targets.empty()) << to_text(from);
    }
}

TEST(Estado, EveryWordIsReadBackFromItsText)
{
    for (const Estado estado : all_estados()) EXPECT_EQ(parse_estado(to_text(estado)), estado);
    EXPECT_EQ(estado_words().size(), 12U);
    EXPECT_FALSE(parse_estado("autorizado"));
    EXPECT_FALSE(parse_estado(""));
}

}  // namespace
}  // namespace umavez::fiscal
