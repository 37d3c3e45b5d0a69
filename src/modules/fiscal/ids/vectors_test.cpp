// Every identifier of the collected vectors, valid and invalid, read where they lie beside the project.

#include "base/money.hpp"
#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/dps_id.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/ids/nfse_event_id.hpp"
#include "modules/fiscal/ids/test_csv.hpp"

#include <umavez/names.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace umavez::fiscal {
namespace {

constexpr const char* no_vectors = "the shared vectors are not here";

// What a sentence of the column `reason` is called here; several may stand in one.
bool agrees(std::string_view reason, IdFault fault)
{
    switch (fault) {
        case IdFault::length: return reason.contains("length");
        case IdFault::characters:
            return reason.contains("pattern") || reason.contains("lower case");
        // Of a CNPJ inside a key they only say that its digits are wrong.
        case IdFault::all_equal:
            return reason.contains("equal") || reason.contains("CNPJ check digits");
        case IdFault::check_digits:
            return reason.contains("check digits") || reason.contains("cDV mismatch");
        case IdFault::wrong_kind: return reason.contains("tpInsc");
        case IdFault::unknown_uf: return reason.contains("cUF");
        case IdFault::month: return reason.contains("month");
        case IdFault::model: return reason.contains("model");
        case IdFault::number_zero:
            return reason.contains("number zero") || reason.contains("1 or more");
        case IdFault::out_of_range: return false;
    }
    return false;
}

template <typename T>
void expect_verdict(const Parsed<T>& parsed, const CsvRow& row, const std::string& text)
{
    EXPECT_EQ(parsed.has_value(), row.at("valid") == "1") << text;
    if (parsed) return;
    const std::string& reason = row.at("reason");
    EXPECT_TRUE(agrees(reason, parsed.error()))
        << text << ": " << reason << ", we say " << to_text(parsed.error());
}

TEST(FiscalVectors, EveryInscriptionIsJudged)
{
    const auto rows = read_vectors("cnpj.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;

    for (const CsvRow& row : rows) {
        const std::string& normalized = row.at("normalized");
        const auto parsed = Inscricao::parse(normalized);

        expect_verdict(parsed, row, normalized);
        std::string capitals = normalized;
        std::ranges::transform(capitals, capitals.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        });
        EXPECT_EQ(normalise_inscricao(row.at("value")), capitals);
        if (!parsed) continue;
        EXPECT_EQ(parsed->text(), normalized);
        EXPECT_EQ(parsed->kind() == InscricaoKind::cpf, row.at("kind") == "CPF");
        EXPECT_EQ(Inscricao::parse_padded(parsed->kind(), parsed->padded()), *parsed);
    }
    EXPECT_EQ(rows.size(), 71U);
}

TEST(FiscalVectors, EveryAccessKeyIsJudged)
{
    const auto rows = read_vectors("access_keys.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;

    for (const CsvRow& row : rows) {
        const std::string& text = row.at("key");
        const auto key = AccessKey::parse(text);

        expect_verdict(key, row, text);
        if (!key) continue;
        EXPECT_EQ(key->uf(), row.at("cUF"));
        EXPECT_EQ(key->aamm(), row.at("AAMM"));
        EXPECT_EQ(key->inscricao(), row.at("inscricao"));
        EXPECT_EQ(key->modelo(), row.at("mod"));
        EXPECT_EQ(key->serie(), row.at("serie"));
        EXPECT_EQ(key->numero(), row.at("nNF"));
        EXPECT_EQ(key->tp_emis(), row.at("tpEmis"));
        EXPECT_EQ(key->c_nf(), row.at("cNF"));
        EXPECT_EQ(key->text().back(), row.at("expected_cDV").front());
        EXPECT_EQ(key->find_inscricao().has_value(), row.at("inscricao_dv_ok") == "1") << text;
        EXPECT_EQ(AccessKey::build(key->fields()), *key);
        EXPECT_EQ(AccessKey::parse_id("NFe" + text), *key);
        EXPECT_TRUE(Key::parse(id_idempotencia(Ambiente::producao, key->natural_key())));
    }
    EXPECT_EQ(rows.size(), 161U);
}

TEST(FiscalVectors, EveryDpsIdIsJudged)
{
    const auto rows = read_vectors("dps_ids.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;

    for (const CsvRow& row : rows) {
        const std::string& text = row.at("id");
        const auto id = DpsId::parse(text);

        expect_verdict(id, row, text);
        if (!id) continue;
        EXPECT_EQ(id->municipio(), row.at("cLocEmi"));
        EXPECT_EQ(id->tp_insc(), row.at("tpInsc"));
        EXPECT_EQ(id->inscricao(), row.at("inscFed"));
        EXPECT_EQ(id->serie(), row.at("serie"));
        EXPECT_EQ(std::to_string(id->fields().numero), row.at("nDPS"));
        EXPECT_EQ(id->is_own_application_serie(), row.at("own_app_series") == "1") << text;
        EXPECT_EQ(DpsId::build(id->fields()), *id);
        EXPECT_TRUE(Key::parse(id_idempotencia(Ambiente::producao, *id)));
    }
    EXPECT_EQ(rows.size(), 24U);
}

TEST(FiscalVectors, EveryNfseKeyIsJudged)
{
    const auto rows = read_vectors("nfse_keys.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;

    for (const CsvRow& row : rows) {
        const std::string& text = row.at("key");
        const auto key = NfseKey::parse(text);

        expect_verdict(key, row, text);
        if (!key) continue;
        EXPECT_EQ(key->municipio(), row.at("cMun"));
        EXPECT_EQ(key->amb_ger(), row.at("ambGer"));
        EXPECT_EQ(key->tp_insc(), row.at("tpInsc"));
        EXPECT_EQ(key->inscricao(), row.at("inscFed"));
        EXPECT_EQ(std::to_string(key->fields().numero), row.at("nNFSe"));
        EXPECT_EQ(key->aamm(), row.at("AAMM"));
        EXPECT_EQ(key->aleatorio(), row.at("cNum"));
        EXPECT_EQ(key->text().back(), row.at("expected_cDV").front());
        EXPECT_EQ(NfseKey::build(key->fields()), *key);
        EXPECT_EQ(NfseKey::parse_id("NFS" + text), *key);

        const auto event = NfseEventId::build(*key, evento_cancelamento);
        ASSERT_TRUE(event);
        EXPECT_EQ(event->text(), "PRE" + text + "101101");
        EXPECT_EQ(event->text().size(), NfseEventId::length);
        EXPECT_EQ(NfseEventId::parse(event->text()), *event);
        EXPECT_EQ(event->chave(), *key);
    }
    EXPECT_EQ(rows.size(), 21U);
}

std::int64_t to_cents(const std::string& text)
{
    const auto amount = Money::parse(text);
    EXPECT_TRUE(amount) << text;
    return amount->cents();
}

std::chrono::year_month_day to_date(const std::string& text)
{
    return {
        std::chrono::year{std::stoi(text.substr(0, 4))},
        std::chrono::month{static_cast<unsigned>(std::stoul(text.substr(5, 2)))},
        std::chrono::day{static_cast<unsigned>(std::stoul(text.substr(8, 2)))},
    };
}

TEST(FiscalVectors, EveryWorkedSignatureOfSaoPauloIsReproduced)
{
    const auto rows = read_vectors("sp_rps_signature.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;

    for (const CsvRow& row : rows) {
        const auto key = SpRpsKey::make(
            row.at("inscricao_prestador"), row.at("serie"), std::stoll(row.at("numero"))
        );
        ASSERT_TRUE(key);
        SpRps rps{
            .key = *key,
            .data = to_date(row.at("data")),
            .tributacao = row.at("tributacao").front(),
            .status = row.at("status").front(),
            .iss_retido = row.at("iss_retido") == "S",
            .valor_cents = to_cents(row.at("valor")),
            .deducoes_cents = to_cents(row.at("deducoes")),
            .codigo_servico = std::stoll(row.at("codigo_servico")),
            .taker = static_cast<SpTaker>(std::stoi(row.at("ind_tomador"))),
            // "W123456789 (NIF)"
            .documento = row.at("doc_tomador").substr(0, row.at("doc_tomador").find(' ')),
        };
        if (!row.at("ind_intermediario").empty()) {
            rps.intermediary = SpIntermediary{
                .kind = static_cast<SpTaker>(std::stoi(row.at("ind_intermediario"))),
                .documento = row.at("doc_intermediario"),
                .iss_retido = row.at("iss_retido_intermediario") == "S",
            };
        }

        const auto text = signature_text(static_cast<SpLayout>(std::stoi(row.at("layout"))), rps);

        EXPECT_EQ(text, row.at("string_to_sign"));
        EXPECT_EQ(text->size(), std::stoul(row.at("length")));
        EXPECT_EQ(SpRpsKey::parse(key->text()), *key);
        EXPECT_TRUE(Key::parse(id_idempotencia(Ambiente::producao, *key)));
    }
    EXPECT_EQ(rows.size(), 5U);
}

}  // namespace
}  // namespace umavez::fiscal
