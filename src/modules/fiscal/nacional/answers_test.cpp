// Every shape in which Sefin Nacional was seen to answer, and those of whoever stands in between.

#include "modules/fiscal/nacional/answers.hpp"

#include "base/base64.hpp"
#include "modules/fiscal/nacional/test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::nacional {
namespace {

using namespace std::chrono_literals;
using namespace test_documents;
using testing::HasSubstr;

const std::string nfse_packed = pack(make_nfse(make_dps()));
const std::string event_packed = pack(make_evento("101101"));

std::string with_key(const std::string& more = "")
{
    return fmt::format(
        R"({{"tipoAmbiente":2,"versaoAplicativo":"x","idDps":"{}","chaveAcesso":"{}"{}}})",
        id_dps,
        chave,
        more
    );
}

std::string with_nfse(const std::string& packed)
{
    return with_key(fmt::format(R"(,"nfseXmlGZipB64":"{}","alertas":[])", packed));
}

struct Case {
    int status;
    std::string body;
    Word word;
};

void expect_all(const std::vector<Case>& cases, const std::function<Said(const HttpAnswer&)>& read)
{
    for (const Case& c : cases) {
        const Said said = read({.status = c.status, .body = c.body});
        EXPECT_EQ(to_text(said.word), to_text(c.word)) << c.status << ' ' << c.body;
        EXPECT_EQ(said.http_status, c.status);
    }
}

// What nobody agreed on, whatever was asked.
const std::vector<Case> nobody_knows = {
    {500, "", Word::unknown},
    {500, "<html>Internal Server Error</html>", Word::unknown},
    {502, R"({"erro":"Bad Gateway"})", Word::unknown},
    {503, R"({"erro":[]})", Word::unknown},
    {503, R"({"erros":[]})", Word::unknown},
    {500, R"({"erros":[{"descricao":"sem codigo"}]})", Word::unknown},
    {500, R"({"erros":["E0014"]})", Word::unknown},
    {500, R"({"erros":"E0014"})", Word::unknown},
    {400, "", Word::unknown},
    {400, R"({"message":"bad"})", Word::unknown},
    {401, "", Word::unknown},
    {403, "<html>403.7</html>", Word::unknown},
    {404, "<html>no such page</html>", Word::unknown},
    {302, "", Word::unknown},
    {200, "", Word::unknown},
    {200, "rubbish", Word::unknown},
    {200, "{}", Word::unknown},
    {200, "[]", Word::unknown},
    {200, R"({"chaveAcesso":)", Word::unknown},
    {201, R"({"chaveAcesso":"123"})", Word::unknown},
    {201, R"({"chaveAcesso":null,"erro":{"codigo":"E0014"}})", Word::unknown},
    {429, "", Word::throttled},
    {429, R"({"erros":[{"codigo":"E0014"}]})", Word::throttled},
};

TEST(AnswersTest, Emission)
{
    const auto read = [](const HttpAnswer& answer) { return read_emission(answer, id_dps); };
    expect_all(nobody_knows, read);
    expect_all(
        {
            {201, with_nfse(nfse_packed), Word::authorised},
            {200, with_nfse(nfse_packed), Word::authorised},
            // The mandatory members.
            {201, with_key(), Word::unknown},
            {201, with_nfse("rubbish"), Word::unknown},
            {201, with_nfse(pack("no xml")), Word::unknown},
            {201, with_nfse(pack(make_evento("101101"))), Word::unknown},
            {201, with_nfse(pack(make_nfse(make_dps(), std::string(50, '1')))), Word::unknown},
            {400,
             R"({"idDPS":"x","erros":[{"codigo":"E0014","descricao":"ja existe"}]})",
             Word::exists},
            {400, R"({"erros":[{"Codigo":"E0014","Descricao":"ja existe"}]})", Word::exists},
            {400, R"({"erro":{"codigo":"E0014"}})", Word::exists},
            {400, R"({"erro":[{"codigo":"E0014"}]})", Word::exists},
            {400, R"({"erros":[{"codigo":"E0004"},{"codigo":"E0014"}]})", Word::exists},
            {400, R"({"erros":[{"codigo":"E0004","mensagem":"Id"}]})", Word::refused},
            {403, R"({"erros":[{"codigo":"E0006"}]})", Word::refused},
            {422, R"({"erros":[{"codigo":"E0714"}]})", Word::refused},
            {500, R"({"erros":[{"codigo":"E1217"}]})", Word::later},
            {400, R"({"erros":[{"codigo":"E1206"},{"codigo":"E0004"}]})", Word::later},
            // Of the rule sheets, though in no table; and of no sheet that we know.
            {400, R"({"erros":[{"codigo":"E9999"}]})", Word::refused},
            {400, R"({"erros":[{"codigo":"RNG6110"}]})", Word::unknown},
            {400, R"({"erros":[{"codigo":"E0004"},{"codigo":"RNG6110"}]})", Word::unknown},
            {400, R"({"erros":[{"codigo":"E0802"}]})", Word::unknown},
        },
        read
    );
    const Said said = read({.status = 201, .body = with_nfse(nfse_packed)});
    EXPECT_EQ(said.chave, chave);
    EXPECT_EQ(said.protocolo, "2369908");
    EXPECT_EQ(said.xml, make_nfse(make_dps()));
    // Of another DPS.
    EXPECT_EQ(
        read_emission({.status = 201, .body = with_nfse(nfse_packed)}, "DPS2").word, Word::unknown
    );
}

// A code refuses only where the authority itself has rejected: those of gateways, and of servers that failed
// on the way, leave open what was stored.
TEST(AnswersTest, ACodeUnderAnotherStatusRefusesNothing)
{
    const std::vector<Case> cases = {
        {500, R"({"erros":[{"codigo":"E0714"}]})", Word::unknown},
        {500, R"({"erros":[{"codigo":"E9999"}]})", Word::unknown},
        {502, R"({"erro":{"codigo":502}})", Word::unknown},
        {503, R"({"erro":{"codigo":"E0004"}})", Word::unknown},
        {504, R"({"erro":{"codigo":"TIMEOUT"}})", Word::unknown},
        {400, R"({"erro":{"codigo":"ZZ99"}})", Word::unknown},
        {401, R"({"erro":{"codigo":"E0004"}})", Word::unknown},
        {404, R"({"erro":{"codigo":"E0004"}})", Word::unknown},
        {408, R"({"erro":{"codigo":"E0004"}})", Word::unknown},
        {301, R"({"erro":{"codigo":"E0004"}})", Word::unknown},
        {500, R"({"erro":{"codigo":"E1217"}})", Word::later},
    };
    expect_all(cases, [](const HttpAnswer& answer) { return read_emission(answer, id_dps); });
    expect_all(cases, [](const HttpAnswer& answer) { return read_cancellation(answer, chave); });
}

// Pages of fronts, as they were seen, and what the authority itself says with the same statuses.
TEST(AnswersTest, AFrontMayRefuseTheCertificate)
{
    const std::string nginx = "<html><head><title>400 The SSL certificate error</title></head>";
    const std::string gateway = R"({"statusCode":403,"message":"Invalid Certificate"})";
    const std::string iis = "HTTP Error 403.16 - Forbidden: your client CERTIFICATE is untrusted";
    const std::string portuguese = "<html>Certificado digital nao autorizado</html>";
    struct Page {
        int status;
        std::string body;
        bool is_refusal;
        bool is_refusal_of_a_reader = false;  // who may be no actor of the note
    };
    for (const Page& page : std::vector<Page>{
             {495, "", true, true},
             {496, "", true, true},
             {400, nginx, true, true},
             {401, gateway, true},
             {403, gateway, true},
             {403, iis, true},
             {403, portuguese, true},
             {403, "<html>Request blocked</html>", false},
             {403, "", false},
             {500, nginx, false},
             {404, "<html>certificate</html>", false},
             {400, R"({"erros":[{"descricao":"Certificado da assinatura vencido"}]})", false},
             {403, R"({"Erro":"certificado"})", false},
             {403, R"({"erro":{"codigo":"E403","descricao":"certificado de quem nao atua"}})", false
             },
         }) {
        const HttpAnswer answer{.status = page.status, .body = page.body};
        for (const Said& said : {read_emission(answer, id_dps), read_cancellation(answer, chave)}) {
            EXPECT_EQ(said.is_certificate_refused, page.is_refusal) << page.status << page.body;
            EXPECT_EQ(effect_of(said.word) == Effect::none, said.word == Word::refused);
        }
        EXPECT_EQ(read_dps_answer(answer, id_dps).is_certificate_refused, page.is_refusal);
        for (const Said& said :
             {read_nfse_answer(answer, chave), read_event_answer(answer, chave, "101101")}) {
            EXPECT_EQ(said.is_certificate_refused, page.is_refusal_of_a_reader) << page.body;
        }
    }
}

TEST(AnswersTest, MessagesAreKept)
{
    const Said said = read_emission(
        {.status = 400,
         .body = R"({"erros":[{"codigo":"E0004","descricao":"Id difere","complemento":"tpInsc"},)"
                 R"({"Codigo":8,"Mensagem":"outra"}]})"},
        id_dps
    );
    const std::vector<Mensagem> expected = {{"E0004", "Id difere: tpInsc"}, {"8", "outra"}};
    EXPECT_EQ(said.mensagens, expected);
    EXPECT_THAT(said.detail, HasSubstr("E0004"));
    EXPECT_EQ(read_emission({.status = 429, .retry_after = 7s}, id_dps).wait, 7s);
    EXPECT_THAT(
        read_emission({.status = 502, .body = "x\x1b[31m"}, id_dps).detail, HasSubstr("HTTP 502")
    );
}

TEST(AnswersTest, OfEndlessMessagesOnlyTheBeginningIsKept)
{
    std::string body = R"({"erros":[)";
    std::string words;
    for (int i = 0; i < 10'000; ++i) words += "\u00e7";
    for (int i = 0; i < 60; ++i) {
        if (i > 0) body += ',';
        body += R"({"codigo":"E0004","descricao":")" + words + R"("})";
    }
    body += "]}";
    const Said said = read_emission({.status = 400, .body = body}, id_dps);
    EXPECT_EQ(said.word, Word::refused);
    ASSERT_EQ(said.mensagens.size(), 50u);
    EXPECT_EQ(said.mensagens.front().descricao, words.substr(0, 500 * 2));
}

TEST(AnswersTest, OnlyA404SaysThatADpsIsAbsent)
{
    const auto read = [](const HttpAnswer& answer) { return read_dps_answer(answer, id_dps); };
    for (Case c : nobody_knows) {
        if (c.status == 200 && c.body.empty()) continue;  // to HEAD
        expect_all({c}, read);
    }
    expect_all(
        {
            {200, "", Word::exists},
            {200, with_key(), Word::exists},
            {200, with_key(R"(,"erro":[])"), Word::exists},
            {200, fmt::format(R"({{"idDPS":"{}","chaveAcesso":"{}"}})", id_dps, chave), Word::exists
            },
            {200, fmt::format(R"({{"idDps":"DPS2","chaveAcesso":"{}"}})", chave), Word::unknown},
            {404, "", Word::absent},
            {404, R"({"erro":{"codigo":"E404"}})", Word::absent},
            {404, "{}", Word::absent},
            {400, R"({"erro":{"codigo":"E0004"}})", Word::unknown},
            {403, R"({"erro":{"codigo":"E0403"}})", Word::unknown},
        },
        read
    );
    EXPECT_EQ(read({.status = 200, .body = with_key()}).chave, chave);
    EXPECT_EQ(read({.status = 200}).chave, "");
}

TEST(AnswersTest, Nfse)
{
    const auto read = [](const HttpAnswer& answer) { return read_nfse_answer(answer, chave); };
    expect_all(nobody_knows, read);
    expect_all(
        {
            {200, with_nfse(nfse_packed), Word::exists},
            {200, with_nfse(pack(make_nfse(make_dps(), std::string(50, '1')))), Word::unknown},
            {404, "{}", Word::unknown},
            {404, "", Word::unknown},
        },
        read
    );
}

TEST(AnswersTest, EventsComeInTwoEnvelopes)
{
    const auto read = [](const HttpAnswer& answer) {
        return read_event_answer(answer, chave, "101101");
    };
    expect_all(nobody_knows, read);
    const auto list = [](const std::string& packed) {
        return fmt::format(
            R"({{"eventos":[null,{{"tipoEvento":101101,"arquivoXml":"{}"}}]}})", packed
        );
    };
    const std::string by_request = fmt::format(
        "<evento "
        "xmlns=\"{}\"><infEvento><pedRegEvento><infPedReg><chNFSe>{}</chNFSe><e101101/></infPedReg>"
        "</pedRegEvento></infEvento></evento>",
        space,
        chave
    );
    expect_all(
        {
            {200, fmt::format(R"({{"eventoXmlGZipB64":"{}"}})", event_packed), Word::exists},
            {200, fmt::format(R"({{"eventoXmlGZipB64":"{}"}})", pack(by_request)), Word::exists},
            {200, list(event_packed), Word::exists},
            {200, list(to_base64(event_packed)), Word::exists},
            {200, list(to_base64(to_base64(event_packed))), Word::unknown},
            {200, list("rubbish"), Word::unknown},
            {200, list(pack(make_evento("105102"))), Word::unknown},
            {200, list(pack(make_evento("101101", std::string(50, '1')))), Word::unknown},
            {200, R"({"eventos":[]})", Word::unknown},
            {200, R"({"eventos":{}})", Word::unknown},
            {404, R"({"erro":{"codigo":"E404","descricao":"nada"}})", Word::absent},
            {404, "", Word::absent},
            {422, R"({"erro":{"codigo":"E422"}})", Word::unknown},
        },
        read
    );
    const Said said = read({.status = 200, .body = list(to_base64(event_packed))});
    EXPECT_EQ(said.xml, make_evento("101101"));
    EXPECT_EQ(said.protocolo, "77");
}

TEST(AnswersTest, Cancellation)
{
    const auto read = [](const HttpAnswer& answer) { return read_cancellation(answer, chave); };
    expect_all(nobody_knows, read);
    expect_all(
        {
            {201, fmt::format(R"({{"eventoXmlGZipB64":"{}"}})", event_packed), Word::cancelled},
            {201, R"({"eventoXmlGZipB64":"rubbish"})", Word::unknown},
            {201, fmt::format(R"({{"eventoXmlGZipB64":"{}"}})", nfse_packed), Word::unknown},
            {400, R"({"erro":[{"codigo":"E0822","descricao":"prazo"}]})", Word::refused},
            {400, R"({"erro":{"codigo":"E0840"}})", Word::exists},
            {400, R"({"erros":[{"codigo":"E0802"}]})", Word::exists},
            // Stopped for maintenance: nothing was looked at, so nothing was refused.
            {400, R"({"erros":[{"codigo":"E1217"}]})", Word::later},
            {400, R"({"erros":[{"codigo":"E1206"}]})", Word::later},
            {503, R"({"erros":[{"codigo":"E1217"}]})", Word::later},
        },
        read
    );
}

}  // namespace
}  // namespace umavez::fiscal::nacional
