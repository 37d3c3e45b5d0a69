// Every shape in which the city answers, and those of whoever stands in between.

#include "modules/fiscal/sao_paulo/answers.hpp"

#include "modules/fiscal/sao_paulo/test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace umavez::fiscal::sao_paulo {
namespace {

using namespace std::chrono_literals;
using namespace test_documents;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const SpRpsKey key = SpRpsKey::parse(rps_key).value();
const ChaveNfe chave = ChaveNfe::parse(chave_text).value();

using Read = std::function<Said(const HttpAnswer&)>;

Said emission(const HttpAnswer& answer)
{
    return read_emission(answer, key);
}
Said consult(const HttpAnswer& answer)
{
    return read_consult(answer, {.key = key});
}
Said consult_known(const HttpAnswer& answer)
{
    return read_consult(answer, {.key = key, .chave = chave});
}
Said cancellation(const HttpAnswer& answer)
{
    return read_cancellation(answer, chave);
}

struct Case {
    int status;
    std::string body;
    Word word;
};

void expect_all(const std::vector<Case>& cases, const Read& read)
{
    for (const Case& c : cases) {
        const Said said = read({.status = c.status, .body = c.body});
        EXPECT_EQ(to_text(said.word), to_text(c.word)) << c.status << ' ' << c.body;
        EXPECT_EQ(said.http_status, c.status);
        const bool has_key = !said.chave.empty() && !said.xml.empty();
        const bool owes_key = said.word == Word::authorised || said.word == Word::cancelled ||
                              said.word == Word::substituted;
        EXPECT_EQ(has_key, owes_key) << c.body;
    }
}

std::string bare(std::string_view inside)
{
    return soap("EnvioRPS", inside);
}

// What nobody agreed on, whatever was asked.
const std::vector<Case> nobody_knows = {
    {500, "", Word::unknown},
    {500, "<html>Internal Server Error</html>", Word::unknown},
    {502, "Bad Gateway", Word::unknown},
    {503, "", Word::unknown},
    {404, "<html>not here</html>", Word::unknown},
    {400, "", Word::unknown},
    {401, "", Word::unknown},
    {302, "", Word::unknown},
    {0, "", Word::unknown},
    {200, "", Word::unknown},
    {200, "rubbish", Word::unknown},
    {200, "<html>Sistema em manutenção</html>", Word::unknown},
    {200, "<Envelope/>", Word::unknown},
    {200, "<Envelope xmlns='http://www.w3.org/2003/05/soap-envelope'/>", Word::unknown},
    {200,
     "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body><e:Fault><e:Reason>"
     "<e:Text>down</e:Text></e:Reason></e:Fault></e:Body></e:Envelope>",
     Word::unknown},
    {200,
     "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><e:Fault>"
     "<faultstring>down</faultstring></e:Fault></e:Body></e:Envelope>",
     Word::unknown},
    {200, bare(""), Word::unknown},
    {200, bare("rubbish"), Word::unknown},
    {200, bare("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), Word::unknown},
    {200, bare(retorno("RetornoOutro", "true", "")), Word::unknown},
    {200, bare("<RetornoEnvioRPS/>"), Word::unknown},
    {200, bare(retorno("RetornoEnvioRPS", "talvez", "")), Word::unknown},
    {200, bare(retorno("RetornoEnvioRPS", "false", "")), Word::unknown},
    {200, bare(retorno("RetornoConsulta", "true", "")), Word::unknown},
    {200, bare(retorno("RetornoConsulta", "false", "")), Word::unknown},
    {200, bare(retorno("RetornoCancelamentoNFe", "false", "")), Word::unknown},
    {200, bare(retorno("RetornoCancelamentoNFe", "", "")), Word::unknown},
    {500, envio_answer("false", erro("1206")), Word::unknown},
    {500, consulta_answer("false", erro("1106")), Word::unknown},
    {403, consulta_answer("false", erro("1106")), Word::unknown},
    {429, "", Word::throttled},
    {429, consulta_answer("false", erro("1106")), Word::throttled},
};

TEST(AnswersTest, WhatNobodyAgreedOnIsUnknown)
{
    for (const Read& read :
         {Read{emission}, Read{consult}, Read{consult_known}, Read{cancellation}})
        expect_all(nobody_knows, read);
    EXPECT_EQ(emission({.status = 429, .retry_after = 7s}).wait, 7s);
    const Said fault = emission({.status = 200, .body = nobody_knows[14].body});
    EXPECT_THAT(fault.detail, HasSubstr("SOAP fault: down"));
}

TEST(AnswersTest, Emission)
{
    expect_all(
        {
            {200, envio_answer("true", issued_key()), Word::authorised},
            {200, envio_answer("1", issued_key()), Word::authorised},
            // An alert of which no table knows is for people.
            {200, envio_answer("true", alerta("207") + issued_key()), Word::authorised},
            {200, envio_answer("true", alerta("216", chave_rps()) + issued_key()), Word::exists},
            {200, envio_answer("true", alerta("216")), Word::exists},
            {200, envio_answer("false", alerta("216")), Word::exists},
            {200, envio_answer("true", alerta("217") + issued_key()), Word::authorised},
            {200, envio_answer("true", alerta("217")), Word::exists},
            {200, envio_answer("true", alerta("216") + alerta("217") + issued_key()), Word::exists},
            {200, envio_answer("true", alerta("1206") + issued_key()), Word::unknown},
            {200, envio_answer("true", ""), Word::unknown},
            {200, envio_answer("true", alerta("207")), Word::unknown},
            {200, envio_answer("false", issued_key()), Word::unknown},
            {200, envio_answer("false", erro("1206") + issued_key()), Word::unknown},
            {200, envio_answer("true", erro("1206") + issued_key()), Word::unknown},
            {200, envio_answer("true", erro("1206")), Word::unknown},
            {200, envio_answer("true", issued_key() + issued_key()), Word::unknown},
            {200, envio_answer("false", erro("1206", chave_rps())), Word::refused},
            {200, envio_answer("false", erro("1001") + erro("1002")), Word::refused},
            {200, envio_answer("false", alerta("207") + erro("1206")), Word::refused},
            {200, envio_answer("false", erro("1206", chave_rps("2"))), Word::unknown},
            {200, envio_answer("false", erro("218")), Word::exists},
            {200, envio_answer("false", erro("338")), Word::exists},
            {200, envio_answer("false", erro("323")), Word::exists},
            {200, envio_answer("false", erro("324")), Word::exists},
            {200, envio_answer("false", erro("1206") + erro("218")), Word::exists},
            // Of no table: an error is not always a proof.
            {200, envio_answer("false", erro("9999")), Word::unknown},
            {200, envio_answer("false", erro("")), Word::unknown},
            {200, envio_answer("false", erro("1206") + erro("9999")), Word::unknown},
            {200, envio_answer("false", erro("1106")), Word::unknown},
            {200, envio_answer("false", erro("1301")), Word::unknown},
        },
        emission
    );
    const Said said = emission({.status = 200, .body = envio_answer("true", issued_key())});
    EXPECT_EQ(said.chave, chave_text);
    EXPECT_THAT(said.xml, StartsWith("<RetornoEnvioRPS xmlns="));
    EXPECT_THAT(said.mensagens, IsEmpty());
    EXPECT_EQ(said.is_ours, std::nullopt);
    // That an earlier note was destroyed is told.
    const Said again =
        emission({.status = 200, .body = envio_answer("true", alerta("217") + issued_key())});
    EXPECT_THAT(again.mensagens, ElementsAre(Mensagem{"217", "mensagem 217"}));
}

TEST(AnswersTest, AKeyThatIsNotOursIsNone)
{
    const auto with = [](const std::string& inside) {
        return envio_answer("true", "<ChaveNFeRPS xmlns=\"\">" + inside + "</ChaveNFeRPS>");
    };
    expect_all(
        {
            {200, with(chave_nfe() + chave_rps()), Word::authorised},
            {200, with(chave_nfe() + chave_rps("001")), Word::authorised},
            {200, with(chave_nfe() + chave_rps("2")), Word::unknown},
            {200, with(chave_nfe()), Word::unknown},
            {200, with(chave_rps()), Word::unknown},
            {200, with(chave_nfe("0") + chave_rps()), Word::unknown},
            {200, with(chave_nfe("x") + chave_rps()), Word::unknown},
            {200, with(chave_nfe() + chave_nfe("988") + chave_rps()), Word::unknown},
        },
        emission
    );
}

// As gateways and other versions write it.
TEST(AnswersTest, TheSameInOtherDress)
{
    const std::string plain = retorno("RetornoEnvioRPS", "true", issued_key());
    const std::string body = plain.substr(plain.find("?>") + 2);
    std::string qualified = body;
    for (const std::string_view none : {" xmlns=\"\"", " xmlns=\"\""}) {
        qualified.erase(qualified.find(none), none.size());
    }
    for (const std::string& inside :
         {body,
          "<?xml version=\"1.0\" encoding=\"utf-16\"?>" + body,
          "\xef\xbb\xbf" + plain,
          "\r\n  " + plain + "\r\n",
          qualified}) {
        const Said said = emission({.status = 200, .body = soap("EnvioRPS", inside)});
        EXPECT_EQ(to_text(said.word), "authorised") << said.detail << inside;
    }
    std::string old = soap("EnvioRPS", plain);
    const std::string_view space = "http://www.w3.org/2003/05/soap-envelope";
    old.replace(old.find(space), space.size(), "http://schemas.xmlsoap.org/soap/envelope/");
    EXPECT_EQ(emission({.status = 200, .body = old}).word, Word::authorised);
    const std::string cdata =
        "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body><r><RetornoXML>"
        "<![CDATA[" +
        plain + "]]></RetornoXML></r></e:Body></e:Envelope>";
    EXPECT_EQ(emission({.status = 200, .body = cdata}).word, Word::authorised);
}

TEST(AnswersTest, OnlyA1106SaysThatThereIsNone)
{
    expect_all(
        {
            {200, consulta_answer("false", erro("1106")), Word::absent},
            {200, consulta_answer("false", erro("1106", chave_rps())), Word::absent},
            {200, consulta_answer("0", erro("1106")), Word::absent},
            {200, consulta_answer("false", erro("1106", chave_rps("2"))), Word::unknown},
            {200, consulta_answer("false", erro("1106") + erro("1106")), Word::absent},
            {200, consulta_answer("true", erro("1106")), Word::unknown},
            {200, consulta_answer("", erro("1106")), Word::unknown},
            {200, consulta_answer("false", alerta("1106")), Word::unknown},
            {200, consulta_answer("false", erro("1106") + erro("1401")), Word::unknown},
            {200, consulta_answer("false", erro("1106") + alerta("207")), Word::unknown},
            {200, consulta_answer("false", erro("1106") + nota()), Word::unknown},
            {200, consulta_answer("false", erro("1001")), Word::unknown},
            {200, consulta_answer("false", erro("1105")), Word::unknown},
            {200, consulta_answer("false", erro("9999")), Word::unknown},
            {200, consulta_answer("false", erro("11060")), Word::unknown},
            {200, consulta_answer("false", ""), Word::unknown},
            {200, consulta_answer("true", ""), Word::unknown},
            {200, envio_answer("false", erro("1106")), Word::unknown},
        },
        consult
    );
    const Said absent = consult({.status = 200, .body = consulta_answer("false", erro("1106"))});
    EXPECT_THAT(absent.mensagens, IsEmpty());
    const Said other = consult({.status = 200, .body = consulta_answer("false", erro("1401"))});
    EXPECT_THAT(other.mensagens, ElementsAre(Mensagem{"1401", "mensagem 1401"}));
}

TEST(AnswersTest, TheNoteThatIsInForceDecides)
{
    const std::string first_cancelled = nota({.numero = "986", .status = "C"});
    expect_all(
        {
            {200, consulta_answer("true", nota()), Word::authorised},
            {200, consulta_answer("true", nota({.rps = ""})), Word::authorised},
            {200, consulta_answer("true", nota({.status = "C"})), Word::cancelled},
            {200, consulta_answer("true", first_cancelled + nota()), Word::authorised},
            {200, consulta_answer("true", nota() + first_cancelled), Word::authorised},
            {200, consulta_answer("true", nota() + nota({.numero = "988"})), Word::unknown},
            {200, consulta_answer("true", nota({.status = "E"})), Word::unknown},
            {200, consulta_answer("true", nota({.status = ""})), Word::unknown},
            {200, consulta_answer("true", nota({.rps = chave_rps("2")})), Word::unknown},
            {200, consulta_answer("true", nota({.numero = "x"})), Word::unknown},
            {200, consulta_answer("true", nota() + nota({.numero = "x"})), Word::unknown},
            {200, consulta_answer("true", erro("1401") + nota()), Word::unknown},
            {200, consulta_answer("false", nota()), Word::unknown},
        },
        consult
    );
    const Said found = consult({.status = 200, .body = consulta_answer("true", nota())});
    EXPECT_EQ(found.chave, chave_text);
    EXPECT_THAT(found.xml, StartsWith("<NFe><Assinatura>"));
    EXPECT_THAT(found.mensagens, IsEmpty());
    const Said again =
        consult({.status = 200, .body = consulta_answer("true", first_cancelled + nota())});
    EXPECT_EQ(again.chave, chave_text);
    ASSERT_EQ(again.mensagens.size(), 1u);
    EXPECT_EQ(again.mensagens[0].codigo, reissued);
    EXPECT_THAT(again.mensagens[0].descricao, HasSubstr("000000000986"));
    // Of several that were cancelled, the last.
    const Said cancelled = consult(
        {.status = 200, .body = consulta_answer("true", nota({.status = "C"}) + first_cancelled)}
    );
    EXPECT_EQ(cancelled.word, Word::cancelled);
    EXPECT_EQ(cancelled.chave, chave_text);
}

TEST(AnswersTest, OfAKnownNoteItsOwnStateIsTold)
{
    const std::string other = nota({.numero = "988"});
    const std::string cancelled = nota({.status = "C"});
    expect_all(
        {
            {200, consulta_answer("true", nota()), Word::authorised},
            {200, consulta_answer("true", cancelled), Word::cancelled},
            {200,
             consulta_answer("true", nota() + nota({.numero = "986", .status = "C"})),
             Word::authorised},
            {200,
             consulta_answer("true", cancelled + nota({.numero = "988", .status = "C"})),
             Word::cancelled},
            {200, consulta_answer("true", cancelled + other), Word::substituted},
            {200, consulta_answer("true", other), Word::unknown},
            {200, consulta_answer("true", nota() + other), Word::unknown},
            {200, consulta_answer("false", erro("1106")), Word::absent},
        },
        consult_known
    );
    const Said said =
        consult_known({.status = 200, .body = consulta_answer("true", cancelled + other)});
    EXPECT_EQ(said.chave, chave_text);
    ASSERT_EQ(said.mensagens.size(), 1u);
    EXPECT_EQ(said.mensagens[0].codigo, reissued);
    EXPECT_THAT(said.mensagens[0].descricao, HasSubstr("000000000988"));
}

TEST(AnswersTest, Cancellation)
{
    expect_all(
        {
            {200, cancelamento_answer("true", ""), Word::cancelled},
            {200, cancelamento_answer("true", alerta("1301", chave_nfe())), Word::cancelled},
            {200, cancelamento_answer("false", alerta("1301")), Word::cancelled},
            {200, cancelamento_answer("false", erro("1301")), Word::cancelled},
            {200, cancelamento_answer("true", alerta("207")), Word::cancelled},
            {200, cancelamento_answer("true", alerta("1302")), Word::exists},
            {200, cancelamento_answer("true", alerta("1305")), Word::unknown},
            {200, cancelamento_answer("true", erro("1304")), Word::unknown},
            {200, cancelamento_answer("", ""), Word::unknown},
            {200, cancelamento_answer("true", alerta("1301", chave_nfe("988"))), Word::unknown},
            {200, cancelamento_answer("false", erro("1304")), Word::unknown},
            {200, cancelamento_answer("false", erro("1305", chave_nfe())), Word::refused},
            {200, cancelamento_answer("false", erro("1306")), Word::refused},
            {200, cancelamento_answer("false", erro("1001")), Word::refused},
            {200, cancelamento_answer("false", alerta("1301") + erro("1305")), Word::unknown},
            {200, cancelamento_answer("false", erro("9999")), Word::unknown},
            {200, cancelamento_answer("false", erro("1106")), Word::unknown},
            {200, cancelamento_answer("false", ""), Word::unknown},
        },
        cancellation
    );
    const Said said = cancellation({.status = 200, .body = cancelamento_answer("true", "")});
    EXPECT_EQ(said.chave, chave_text);
    EXPECT_THAT(said.xml, StartsWith("<RetornoCancelamentoNFe xmlns="));
}

// IIS answers at the door, before anybody has looked at a document.
TEST(AnswersTest, ADoorThatStaysShutIsOurTrouble)
{
    for (const Read& read : {Read{emission}, Read{cancellation}}) {
        const Said refused = read({.status = 403, .body = "<html>403.7</html>"});
        EXPECT_EQ(refused.word, Word::later);
        EXPECT_TRUE(refused.is_certificate_refused);
        EXPECT_THAT(refused.detail, HasSubstr("no client certificate"));
        const Said old = read({.status = 426, .body = ""});
        EXPECT_EQ(old.word, Word::later);
        EXPECT_FALSE(old.is_certificate_refused);
        EXPECT_THAT(old.detail, HasSubstr("TLS below 1.2"));
        const Said answered = read({.status = 403, .body = envio_answer("false", erro("1206"))});
        EXPECT_EQ(answered.word, Word::unknown);
        EXPECT_FALSE(answered.is_certificate_refused);
    }
    const Said asked = consult({.status = 403, .body = ""});
    EXPECT_EQ(asked.word, Word::unknown);
    EXPECT_TRUE(asked.is_certificate_refused);
    EXPECT_EQ(consult({.status = 426}).word, Word::unknown);
}

TEST(AnswersTest, OfEndlessMessagesOnlyTheBeginningIsKept)
{
    std::string words;
    for (int i = 0; i < 2'000; ++i) words += "\u00e7";
    std::string events;
    for (int i = 0; i < 60; ++i) {
        events +=
            "<Erro xmlns=\"\"><Codigo>1206</Codigo><Descricao>" + words + "</Descricao></Erro>";
    }
    const Said said = emission({.status = 200, .body = envio_answer("false", events)});
    EXPECT_EQ(said.word, Word::refused);
    ASSERT_EQ(said.mensagens.size(), 50u);
    EXPECT_EQ(said.mensagens.front().descricao, words.substr(0, 500 * 2));
}

}  // namespace
}  // namespace umavez::fiscal::sao_paulo
