#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/dps_id.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/ids/nfse_event_id.hpp"
#include "modules/fiscal/ids/uf.hpp"

#include <gtest/gtest.h>

namespace umavez::fiscal {
namespace {

NaturalKeyFields nota()
{
    return {
        .tipo = Tipo::nfe,
        .uf = "35",
        .inscricao = "58716523000119",
        .serie = 1,
        .numero = 30,
        .tp_emis = 1,
    };
}

std::string id_of(const NaturalKeyFields& fields, Ambiente ambiente = Ambiente::producao)
{
    return id_idempotencia(ambiente, NaturalKey::make(fields).value());
}

TEST(Tipo, WordsAreReadBack)
{
    for (const std::string& word : tipo_words()) EXPECT_EQ(to_text(parse_tipo(word).value()), word);
    for (const std::string& word : ambiente_words()) {
        EXPECT_EQ(to_text(parse_ambiente(word).value()), word);
    }
    EXPECT_EQ(tipo_words().size(), 4U);
    EXPECT_FALSE(parse_tipo("NFE"));
    EXPECT_FALSE(parse_ambiente("2"));
}

TEST(CheckDigit, OfTheManualsWorkedExample)
{
    EXPECT_EQ(check_digit("5206043300991100250655012000000780026730161"), '5');
    EXPECT_EQ(check_digit("52060412ABC34501DE3555012000000780126730161"), '0');
}

TEST(Inscricao, NormalisingDropsPunctuationAndNoLetter)
{
    EXPECT_EQ(normalise_inscricao(" 12.abc.345/01de-35 "), "12ABC34501DE35");
    EXPECT_EQ(normalise_inscricao("12ABC34501DE35x"), "12ABC34501DE35X");
    EXPECT_TRUE(Inscricao::parse(normalise_inscricao("529.982.247-25")));
}

TEST(Inscricao, ACpfStandsBehindThreeZeros)
{
    const auto cpf = Inscricao::parse("52998224725");
    ASSERT_TRUE(cpf);
    EXPECT_EQ(cpf->padded(), "00052998224725");
    EXPECT_EQ(
        Inscricao::parse_padded(InscricaoKind::cpf, "11222333000181").error(), IdFault::wrong_kind
    );
    EXPECT_EQ(
        Inscricao::parse_padded(InscricaoKind::cnpj, "00052998224725").error(),
        IdFault::check_digits
    );
}

TEST(IdIdempotencia, HasTheTextsOfItsHeader)
{
    EXPECT_EQ(id_of(nota()), "nfe:1:55_35_58716523000119_001_000000030");
    auto cupom = nota();
    cupom.tipo = Tipo::nfce;
    EXPECT_EQ(id_of(cupom), "nfce:1:65_35_58716523000119_001_000000030_1");
    const auto dps = DpsId::parse("DPS211130020057475300010000003000000000005306");
    EXPECT_EQ(
        id_idempotencia(Ambiente::homologacao, *dps),
        "nfse-nacional:2:2111300_2_00574753000100_00003_000000000005306"
    );
    const auto rps = SpRpsKey::make("31000000", "OL03", 1);
    EXPECT_EQ(
        id_idempotencia(Ambiente::producao, *rps), "nfse-sp:1:000031000000_OL03_000000000001"
    );
}

TEST(IdIdempotencia, TpEmisCountsInNfceOnly)
{
    auto normal = nota();
    auto contingency = nota();
    contingency.tp_emis = 6;
    EXPECT_EQ(id_of(normal), id_of(contingency));

    normal.tipo = contingency.tipo = Tipo::nfce;
    EXPECT_NE(id_of(normal), id_of(contingency));
}

TEST(IdIdempotencia, EnvironmentsAreApart)
{
    EXPECT_NE(id_of(nota(), Ambiente::producao), id_of(nota(), Ambiente::homologacao));
}

TEST(NaturalKey, PartsThatDoNotFitAreRefused)
{
    const auto fault_of = [](auto change) {
        auto fields = nota();
        change(fields);
        const auto key = NaturalKey::make(fields);
        EXPECT_EQ(AccessKey::build({fields, "2601", "13572468"}).has_value(), key.has_value());
        return key.has_value() ? "" : std::string{to_text(key.error())};
    };
    EXPECT_EQ(fault_of([](auto&) {}), "");
    EXPECT_EQ(fault_of([](auto& f) { f.tipo = Tipo::nfse_sp; }), "model");
    EXPECT_EQ(fault_of([](auto& f) { f.uf = "34"; }), "unknown_uf");
    EXPECT_EQ(fault_of([](auto& f) { f.inscricao = "52998224725"; }), "length");
    EXPECT_EQ(fault_of([](auto& f) { f.inscricao[3] = '_'; }), "characters");
    EXPECT_EQ(fault_of([](auto& f) { f.inscricao[13] = 'A'; }), "characters");
    EXPECT_EQ(fault_of([](auto& f) { f.serie = 1000; }), "out_of_range");
    EXPECT_EQ(fault_of([](auto& f) { f.serie = -1; }), "out_of_range");
    EXPECT_EQ(fault_of([](auto& f) { f.numero = 0; }), "number_zero");
    EXPECT_EQ(fault_of([](auto& f) { f.numero = 1'000'000'000; }), "out_of_range");
    EXPECT_EQ(fault_of([](auto& f) { f.tp_emis = 10; }), "out_of_range");
}

TEST(DpsId, NumbersBeyondTheirWidthAreRefused)
{
    DpsIdFields fields{
        "3550308", Inscricao::parse("11222333000181").value(), 99'999, 999'999'999'999'999
    };
    EXPECT_TRUE(DpsId::build(fields));
    ++fields.numero;
    EXPECT_EQ(DpsId::build(fields).error(), IdFault::out_of_range);
    fields.numero = 0;
    EXPECT_EQ(DpsId::build(fields).error(), IdFault::number_zero);
    fields.numero = 1;
    ++fields.serie;
    EXPECT_EQ(DpsId::build(fields).error(), IdFault::out_of_range);
}

TEST(DpsId, AKindThatIsNeither1Nor2IsRefused)
{
    EXPECT_EQ(
        DpsId::parse("DPS211130030057475300010000003000000000005306").error(), IdFault::wrong_kind
    );
}

TEST(NfseEventId, OlderIdsWithASequenceAreRefused)
{
    const std::string chave = "21113002200574753000100000000000146726037032711025";
    EXPECT_TRUE(NfseEventId::parse("PRE" + chave + "101101"));
    EXPECT_EQ(NfseEventId::parse("PRE" + chave + "101101001").error(), IdFault::length);
    EXPECT_EQ(NfseEventId::parse("EVT" + chave + "101101").error(), IdFault::characters);
    EXPECT_EQ(NfseEventId::build(*NfseKey::parse(chave), "10110A").error(), IdFault::characters);
}

TEST(SpRpsKey, BothLayoutsNameOneRps)
{
    EXPECT_EQ(SpRpsKey::make("31000000", "A", 7), SpRpsKey::make("000031000000", "A", 7));
    EXPECT_NE(SpRpsKey::make("31000000", "A", 7), SpRpsKey::make("31000000", "", 7));
}

TEST(SpRpsKey, WhatTheCityMayReadInTwoWaysIsRefused)
{
    EXPECT_EQ(SpRpsKey::make("31000000", "ol03", 1).error(), IdFault::characters);
    EXPECT_EQ(SpRpsKey::make("31000000", "A ", 1).error(), IdFault::characters);
    EXPECT_EQ(SpRpsKey::make("31000000", "ABCDEF", 1).error(), IdFault::length);
    EXPECT_EQ(SpRpsKey::make("", "A", 1).error(), IdFault::length);
    EXPECT_EQ(SpRpsKey::make("000", "A", 1).error(), IdFault::all_equal);
    EXPECT_EQ(SpRpsKey::make("1", "A", 0).error(), IdFault::number_zero);
    EXPECT_EQ(SpRpsKey::make("1", "A", -1).error(), IdFault::out_of_range);
    EXPECT_EQ(SpRpsKey::make("1", "A", 1'000'000'000'000).error(), IdFault::out_of_range);
}

TEST(SpSignature, PartsThatDoNotFitAreRefused)
{
    using std::chrono::year_month_day;
    const SpRps good{
        .key = SpRpsKey::make("123456789", "", 1).value(),
        .data =
            year_month_day{std::chrono::year{2026}, std::chrono::month{1}, std::chrono::day{31}},
    };
    const auto with = [&](auto change) {
        SpRps rps = good;
        change(rps);
        return signature_text(SpLayout::two, rps);
    };
    EXPECT_EQ(signature_text(SpLayout::two, good)->size(), 90U);
    // Nine digits of the registration, where layout 1 has eight.
    EXPECT_EQ(signature_text(SpLayout::one, good).error(), IdFault::out_of_range);
    EXPECT_FALSE(with([](auto& rps) { rps.data = {}; }));
    EXPECT_FALSE(with([](auto& rps) { rps.valor_cents = -1; }));
    EXPECT_FALSE(with([](auto& rps) { rps.valor_cents = 1'000'000'000'000'000; }));
    EXPECT_FALSE(with([](auto& rps) { rps.codigo_servico = 100'000; }));
    EXPECT_FALSE(with([](auto& rps) { rps.tributacao = ' '; }));
    EXPECT_FALSE(with([](auto& rps) { rps.taker = SpTaker::cpf; }));
    EXPECT_FALSE(with([](auto& rps) { rps.taker = SpTaker::nif; }));
    EXPECT_FALSE(with([](auto& rps) { rps.intermediary = {SpTaker::nif, "X", false}; }));
}

TEST(IdFault, EachHasWordsInBothLanguages)
{
    for (int i = 0; i <= static_cast<int>(IdFault::out_of_range); ++i) {
        const auto fault = static_cast<IdFault>(i);
        EXPECT_FALSE(to_text(fault).empty());
        EXPECT_FALSE(describe(fault).en.empty());
        EXPECT_FALSE(describe(fault).pt.empty());
    }
}

TEST(IdIdempotencia, TellsTheStateOfANote)
{
    EXPECT_EQ(uf_of("nfe:1:55_35_58716523000119_001_000000030"), "35");
    EXPECT_EQ(uf_of("nfce:2:65_43_58716523000119_001_000000030_9"), "43");
    for (const char* const other :
         {"nfse-sp:1:000031000000_OL03_000000000001", "nfe:1:55_99_5", "nfe:1:5", "nfe", ""}) {
        EXPECT_EQ(uf_of(other), "") << other;
    }
}

TEST(Uf, IsFoundByEitherName)
{
    EXPECT_EQ(all_ufs().size(), 27U);
    for (const Uf& uf : all_ufs()) {
        EXPECT_EQ(find_uf(uf.sigla)->codigo, uf.codigo);
        EXPECT_EQ(find_uf(uf.codigo)->sigla, uf.sigla);
        EXPECT_TRUE(is_uf(uf.codigo));
        EXPECT_FALSE(is_uf(uf.sigla));
    }
    EXPECT_FALSE(find_uf("XX"));
    EXPECT_FALSE(find_uf(""));
}

}  // namespace
}  // namespace umavez::fiscal
