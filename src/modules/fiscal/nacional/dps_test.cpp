#include "modules/fiscal/nacional/dps.hpp"

#include "modules/fiscal/nacional/test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::nacional {
namespace {

using namespace test_documents;
using testing::HasSubstr;

std::string why_not(std::string_view xml)
{
    const auto dps = read_dps(xml);
    EXPECT_FALSE(dps) << xml;
    if (dps) return "";
    EXPECT_EQ(dps.error().code, Errc::invalid_argument);
    return dps.error().detail;
}

TEST(DpsTest, TheIdentificationIsRead)
{
    const auto dps = read_dps(make_dps());
    ASSERT_TRUE(dps) << dps.error().detail;
    EXPECT_EQ(dps->id, id_dps);
    EXPECT_EQ(dps->ambiente, Ambiente::homologacao);
    EXPECT_EQ(dps->municipio, "2111300");
    EXPECT_EQ(dps->emitente, "00574753000100");
    EXPECT_EQ(dps->serie, "3");
    EXPECT_EQ(dps->numero, 5306);
    EXPECT_FALSE(dps->is_signed);
    EXPECT_EQ(dps->chave_substituida, "");
}

TEST(DpsTest, LettersPeopleAndSubstitutes)
{
    const auto letters = read_dps(make_dps(
        {.id = "DPS2111300212ABC34501DE3500003000000000005306",
         .prestador = "<CNPJ>12ABC34501DE35</CNPJ>"}
    ));
    ASSERT_TRUE(letters) << letters.error().detail;
    EXPECT_EQ(letters->emitente, "12ABC34501DE35");
    const auto person = read_dps(make_dps(
        {.id = "DPS211130010001234567890900003000000000005306",
         .tp_amb = "1",
         .prestador = "<CPF>12345678909</CPF>",
         .serie = "00003"}
    ));
    ASSERT_TRUE(person) << person.error().detail;
    EXPECT_EQ(person->emitente, "12345678909");
    EXPECT_EQ(person->ambiente, Ambiente::producao);
    EXPECT_EQ(person->serie, "3");
    const auto substitute = read_dps(make_dps(
        {.more = fmt::format("<subst><chSubstda>{}</chSubstda><cMotivo>99</cMotivo></subst>", chave)
        }
    ));
    ASSERT_TRUE(substitute) << substitute.error().detail;
    EXPECT_EQ(substitute->chave_substituida, chave);
}

TEST(DpsTest, WhatDoesNotFitIsTold)
{
    EXPECT_THAT(why_not("rubbish"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<DPS/>"), HasSubstr("it is no DPS of http://www.sped"));
    EXPECT_THAT(why_not("<!DOCTYPE DPS><DPS/>"), HasSubstr("document type"));
    EXPECT_THAT(why_not(std::string(dps_bytes_max + 1, ' ')), HasSubstr("at most"));
    EXPECT_THAT(why_not(make_dps({.id = "DPS1"})), HasSubstr("its fields make DPS2111300"));
    // Two libraries take 1 for a CNPJ.
    EXPECT_THAT(
        why_not(make_dps({.id = "DPS211130010057475300010000003000000000005306"})),
        HasSubstr("the Id of infDPS is")
    );
    EXPECT_THAT(why_not(make_dps({.numero = "5307"})), HasSubstr("the Id of infDPS is"));
    EXPECT_THAT(why_not(make_dps({.numero = "x"})), HasSubstr("nDPS must have 1 to 15 digits"));
    EXPECT_THAT(why_not(make_dps({.serie = "123456"})), HasSubstr("serie must have 1 to 5 digits"));
    EXPECT_THAT(why_not(make_dps({.tp_amb = "3"})), HasSubstr("tpAmb must be 1 or 2"));
    EXPECT_THAT(why_not(make_dps({.prestador = ""})), HasSubstr("prest has no CNPJ"));
    EXPECT_THAT(
        why_not(make_dps({.prestador = "<CNPJ>00574753000101</CNPJ>"})),
        HasSubstr("CNPJ or CPF of prest")
    );
    EXPECT_THAT(why_not(make_dps({.more = "<serie>3</serie>"})), HasSubstr("serie stands twice"));
}

TEST(DpsTest, ASignatureMustFit)
{
    const test::TestAuthority authority;
    const std::string text = sign(make_dps(), authority.issue({.common_name = "LOJA"}));
    const auto dps = read_dps(text);
    ASSERT_TRUE(dps) << dps.error().detail;
    EXPECT_TRUE(dps->is_signed);
    std::string changed = text;
    changed.replace(changed.find("Consultoria"), 1, "c");
    EXPECT_THAT(why_not(changed), HasSubstr("changed after it was signed"));
}

TEST(DpsTest, WhatTheAuthorityHoldsIsComparedByContent)
{
    const std::string dps = make_dps();
    const std::string other = make_dps({.more = "<xDescServ>outra</xDescServ>"});
    EXPECT_EQ(is_same_dps(dps, make_nfse(dps)).value(), true);
    EXPECT_EQ(is_same_dps(dps, make_nfse(other)).value(), false);
    // Written in another way.
    std::string rewritten = make_nfse(dps);
    rewritten.replace(rewritten.find("<tpEmit>1</tpEmit>"), 18, "<tpEmit >&#49;</tpEmit><!-- -->");
    EXPECT_EQ(is_same_dps(dps, rewritten).value(), true);
    EXPECT_FALSE(is_same_dps(dps, dps));
    EXPECT_FALSE(is_same_dps(dps, "rubbish"));

    const test::TestAuthority authority;
    const test::Issued issued = authority.issue({.common_name = "LOJA"});
    EXPECT_EQ(is_same_dps(sign(dps, issued), make_nfse(sign(dps, issued))).value(), true);
    EXPECT_EQ(is_same_dps(sign(dps, issued), make_nfse(sign(other, issued))).value(), false);
    EXPECT_EQ(is_same_dps(sign(dps, issued), make_nfse(dps)).value(), true);
}

}  // namespace
}  // namespace umavez::fiscal::nacional
