#include "modules/fiscal/numbering/naming.hpp"

#include <gtest/gtest.h>

namespace umavez::fiscal {
namespace {

constexpr const char* cnpj = "00574753000100";

TEST(Naming, ADpsHasTheIdOfTheAuthority)
{
    const Serie serie{Tipo::nfse_nacional, Ambiente::homologacao, cnpj, "3"};

    const auto named = name_number(serie, {.municipio = "2111300"}, 5306);

    ASSERT_TRUE(named);
    EXPECT_EQ(named->id_autoridade, "DPS211130020057475300010000003000000000005306");
    EXPECT_EQ(
        named->id_idempotencia, "nfse-nacional:2:2111300_2_00574753000100_00003_000000000005306"
    );
}

TEST(Naming, ANoteIsKnownByItsNaturalKeyAlone)
{
    const Serie nfe{Tipo::nfe, Ambiente::producao, cnpj, "1"};
    const Serie nfce{Tipo::nfce, Ambiente::producao, cnpj, "1"};

    const auto note = name_number(nfe, {.uf = "35"}, 30);
    const auto receipt = name_number(nfce, {.uf = "35", .tp_emis = 9}, 30);

    ASSERT_TRUE(note);
    ASSERT_TRUE(receipt);
    EXPECT_EQ(note->id_idempotencia, "nfe:1:55_35_00574753000100_001_000000030");
    EXPECT_EQ(note->id_autoridade, "");
    EXPECT_EQ(receipt->id_idempotencia, "nfce:1:65_35_00574753000100_001_000000030_9");
}

TEST(Naming, AnRpsIsKnownByItsRegistration)
{
    const Serie serie{Tipo::nfse_sp, Ambiente::producao, cnpj, "OL03"};

    const auto named = name_number(serie, {.inscricao_municipal = "31000000"}, 1);

    ASSERT_TRUE(named);
    EXPECT_EQ(named->id_idempotencia, "nfse-sp:1:000031000000_OL03_000000000001");
}

TEST(Naming, WhatTheNaturalKeyNeedsMustBeThere)
{
    for (const Tipo tipo : {Tipo::nfe, Tipo::nfce, Tipo::nfse_sp, Tipo::nfse_nacional}) {
        EXPECT_FALSE(name_number({tipo, Ambiente::producao, cnpj, "1"}, {}, 1)) << to_text(tipo);
    }
    EXPECT_FALSE(
        name_number({Tipo::nfe, Ambiente::producao, "00574753000101", "1"}, {.uf = "35"}, 1)
    );
}

TEST(Naming, TheNumberAfterTheLargestHasNoName)
{
    const Lugar lugar{.municipio = "2111300", .uf = "35", .inscricao_municipal = "31000000"};
    for (const Tipo tipo : {Tipo::nfe, Tipo::nfce, Tipo::nfse_sp, Tipo::nfse_nacional}) {
        const Serie serie{tipo, Ambiente::producao, cnpj, "1"};
        EXPECT_TRUE(name_number(serie, lugar, numero_max_of(tipo))) << to_text(tipo);
        EXPECT_FALSE(name_number(serie, lugar, numero_max_of(tipo) + 1)) << to_text(tipo);
    }
}

TEST(Naming, ASeriesIsWrittenInOneWay)
{
    EXPECT_EQ(canonical_serie(Tipo::nfe, "001"), "1");
    EXPECT_EQ(canonical_serie(Tipo::nfe, "0"), "0");
    EXPECT_EQ(canonical_serie(Tipo::nfse_nacional, "00003"), "3");
    EXPECT_EQ(canonical_serie(Tipo::nfse_sp, "001"), "001");
    EXPECT_EQ(canonical_serie(Tipo::nfse_sp, ""), "");
    for (const char* const wrong : {"", "1000", "-1", "1a", " 1", "1.0", "x'); DROP"}) {
        EXPECT_FALSE(canonical_serie(Tipo::nfe, wrong)) << wrong;
    }
}

}  // namespace
}  // namespace umavez::fiscal
