// The adapter against a server on loopback that demands a certificate and answers from a script.

#include "modules/fiscal/sao_paulo/sao_paulo_authority.hpp"

#include "modules/fiscal/sao_paulo/soap.hpp"
#include "modules/fiscal/sao_paulo/test_documents.hpp"
#include "support/http_receiver.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>

namespace umavez::fiscal::sao_paulo {
namespace {

using namespace std::chrono_literals;
using namespace test_documents;
using test::HttpReceiver;
using test::Reaction;
using test::Received;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto ample = 10min;  // for a call: none of these takes it

// The last part of the action: "envioRPS".
std::string action_of(const Received& request)
{
    const std::string type = request.header("content-type");
    const std::size_t slash = type.rfind('/');
    return slash == std::string::npos ? type : type.substr(slash + 1, type.size() - slash - 2);
}

std::vector<std::string> asked(const HttpReceiver& receiver)
{
    std::vector<std::string> all;
    for (const Received& one : receiver.received()) all.push_back(action_of(one));
    return all;
}

std::string message_in(const Received& request)
{
    const auto document = xml::Document::parse(request.body);
    EXPECT_TRUE(document) << document.error().detail;
    const auto body = document->root().find("Body");
    return body->children().at(0).find_text("MensagemXML").value_or("");
}

class SaoPauloAuthorityTest : public testing::Test {
protected:
    SaoPauloAuthorityTest()
    {
        write("ca.pem", issuer().pem());
        write("loja.pem", loja().certificate_pem + loja().key_pem);
    }

    // By action; what is not in it is 404.
    using Script = std::map<std::string, Reaction>;
    static HttpReceiver::React follow(Script script)
    {
        return [script](const Received& request) {
            const auto found = script.find(action_of(request));
            return found == script.end() ? Reaction{.status = 404} : found->second;
        };
    }
    test::ReceiverTls demanding() const
    {
        return {server_.certificate_pem, server_.key_pem, issuer().pem()};
    }
    SaoPauloOptions options_at(const std::string& url) const
    {
        return {
            .producao = "",
            .homologacao = url,
            .ca_file = folder_.path() + "/ca.pem",
            .connect_timeout = ample,
        };
    }
    SaoPauloAuthority authority_with(const SaoPauloOptions& options) const
    {
        CertificateBook::Files files = {
            {std::string{cnpj}, {.file = folder_.path() + "/loja.pem"}},
        };
        return {options, std::make_shared<CertificateBook>(std::move(files)), system_clock()};
    }
    SaoPauloAuthority authority_at(const HttpReceiver& receiver) const
    {
        return authority_with(options_at(receiver.url("/lotenfe.asmx")));
    }
    static Subject subject()
    {
        return {
            .tipo = Tipo::nfse_sp,
            .emitente = std::string{cnpj},
            .id_autoridade = std::string{rps_key},
            .xml = make_rps(),
        };
    }
    static Subject sent_before()
    {
        Subject sent = subject();
        sent.was_sent = true;
        return sent;
    }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream{folder_.path() + "/" + name} << text;
    }

    const test::TemporaryFolder folder_;
    const test::Issued server_ = issuer().issue({.common_name = "localhost"});
    const Reaction issued_{.body = envio_answer("true", issued_key())};
    const Reaction absent_{.body = consulta_answer("false", erro("1106", chave_rps()))};
    const Reaction found_{.body = consulta_answer("true", nota())};
};

TEST_F(SaoPauloAuthorityTest, EmissionSendsTheBytesAndReadsTheKey)
{
    HttpReceiver receiver{follow({{"envioRPS", issued_}}), demanding()};
    const SaoPauloAuthority authority = authority_at(receiver);
    EXPECT_TRUE(authority.check(subject()));

    const Said said = authority.emit(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, chave_text);
    EXPECT_EQ(said.exchanges, 1u);
    EXPECT_THAT(asked(receiver), ElementsAre("envioRPS"));
    const Received got = receiver.received().at(0);
    EXPECT_EQ(got.target, "/lotenfe.asmx");
    EXPECT_EQ(message_in(got), subject().xml);
    EXPECT_THAT(got.body, HasSubstr("<VersaoSchema>1</VersaoSchema>"));
}

// A second copy would cancel the note of the first: it leaves us only after 1106.
TEST_F(SaoPauloAuthorityTest, ASecondEmissionAsksFirst)
{
    HttpReceiver absent{follow({{"envioRPS", issued_}, {"consultaNFe", absent_}}), demanding()};
    const Said sent = authority_at(absent).emit(sent_before(), ample, {});
    EXPECT_EQ(sent.word, Word::authorised) << sent.detail;
    EXPECT_EQ(sent.exchanges, 2u);
    EXPECT_THAT(asked(absent), ElementsAre("consultaNFe", "envioRPS"));
    EXPECT_EQ(message_in(absent.received().at(1)), subject().xml);

    for (const char* const status : {"N", "C"}) {
        const Reaction there{.body = consulta_answer("true", nota({.status = status}))};
        HttpReceiver found{follow({{"envioRPS", issued_}, {"consultaNFe", there}}), demanding()};
        const Said held = authority_at(found).emit(sent_before(), ample, {});
        EXPECT_EQ(held.word, Word::exists) << held.detail;
        EXPECT_EQ(held.chave, "");
        EXPECT_EQ(held.exchanges, 1u);
        EXPECT_THAT(held.detail, HasSubstr(chave_text));
        EXPECT_THAT(asked(found), ElementsAre("consultaNFe"));
    }
}

// At the question before a second emission, each way not to say 1106.
TEST_F(SaoPauloAuthorityTest, NothingBut1106LetsASecondCopyOut)
{
    const std::pair<Reaction, Word> faults[] = {
        {{.kind = Reaction::Kind::hang_up}, Word::unreached},
        {{.kind = Reaction::Kind::cut, .body = absent_.body}, Word::unreached},
        {{.status = 500}, Word::unreached},
        {{.status = 500, .body = absent_.body}, Word::unreached},
        {{.status = 503, .body = "<html>manutenção</html>"}, Word::unreached},
        {{.status = 403, .body = "<html>403.7</html>"}, Word::unreached},
        {{.status = 426}, Word::unreached},
        {{.status = 404}, Word::unreached},
        {{.body = "rubbish"}, Word::unreached},
        {{.body = ""}, Word::unreached},
        {{.body = consulta_answer("true", "")}, Word::unreached},
        {{.body = consulta_answer("false", erro("1401"))}, Word::unreached},
        {{.body = consulta_answer("false", erro("1106") + erro("1401"))}, Word::unreached},
        {{.body = consulta_answer("false", erro("1106", chave_rps("2")))}, Word::unreached},
        {{.body = consulta_answer("true", nota({.status = "E"}))}, Word::unreached},
        {{.body = envio_answer("false", erro("1106"))}, Word::unreached},
        {{.status = 429, .headers = "Retry-After: 60\r\n"}, Word::throttled},
    };
    for (const auto& [fault, word] : faults) {
        HttpReceiver receiver{follow({{"envioRPS", issued_}, {"consultaNFe", fault}}), demanding()};
        const Said said = authority_at(receiver).emit(sent_before(), ample, {});
        EXPECT_EQ(to_text(said.word), to_text(word)) << fault.status << fault.body;
        EXPECT_EQ(effect_of(said.word), Effect::none);
        EXPECT_THAT(said.detail, HasSubstr("not sent"));
        EXPECT_EQ(said.is_certificate_refused, fault.status == 403);
        EXPECT_EQ(said.chave, "");
        EXPECT_EQ(said.exchanges, 1u);
        EXPECT_THAT(asked(receiver), ElementsAre("consultaNFe"));
        if (word == Word::throttled) {
            EXPECT_EQ(said.wait, 60s);
        }
    }
}

// After the limit nothing of an emission may be on its way, however long the question before it took.
TEST_F(SaoPauloAuthorityTest, AQuestionAndItsEmissionShareTheLimit)
{
    // A busy machine makes one of them late now and then, a limit of its own for each call all of them.
    const auto becomes = [&](const HttpReceiver::React& react,
                             Word word,
                             Duration most,
                             const std::vector<std::string>& calls) {
        test::wait_until("an emission ends within its limit: " + calls.back(), [&] {
            HttpReceiver receiver{react, demanding()};
            const Duration began = system_clock().boottime();
            const Said said = authority_at(receiver).emit(sent_before(), 2s, {});
            const Duration took = system_clock().boottime() - began;
            return said.word == word && took < most && asked(receiver) == calls;
        });
    };
    const Reaction held{.kind = Reaction::Kind::hold};
    const auto silent = follow({{"envioRPS", issued_}, {"consultaNFe", held}});
    becomes(silent, Word::unreached, 2s, {"consultaNFe"});
    const auto slow = [held, absent = absent_](const Received& request) {
        if (action_of(request) == "envioRPS") return held;
        std::mutex mutex;
        std::condition_variable never;
        std::unique_lock lock{mutex};
        never.wait_for(lock, 700ms, [] { return false; });
        return absent;
    };
    becomes(slow, Word::unknown, 2s + 500ms, {"consultaNFe", "envioRPS"});
}

// A city that does as the real one: a second copy of an RPS destroys the first note.
TEST_F(SaoPauloAuthorityTest, AfterALostAnswerThereIsStillOneNote)
{
    std::atomic<int> issued = 0;
    HttpReceiver city{
        [&](const Received& request) -> Reaction {
            if (action_of(request) == "consultaNFe") return issued == 0 ? absent_ : found_;
            if (++issued == 1) return {.kind = Reaction::Kind::hang_up};
            return {.body = envio_answer("true", alerta("217") + issued_key())};
        },
        demanding()
    };
    const SaoPauloAuthority authority = authority_at(city);
    EXPECT_EQ(authority.emit(subject(), ample, {}).word, Word::unknown);
    EXPECT_EQ(authority.emit(sent_before(), ample, {}).word, Word::exists);
    const Said said = authority.consult(sent_before(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.is_ours, true);
    EXPECT_EQ(issued, 1);
    // One who sends blindly is told what he did.
    const Said blind = authority.emit(subject(), ample, {});
    EXPECT_EQ(blind.word, Word::authorised);
    ASSERT_EQ(blind.mensagens.size(), 1u);
    EXPECT_EQ(blind.mensagens[0].codigo, "217");
}

TEST_F(SaoPauloAuthorityTest, AConsultIsSignedAndByTheRps)
{
    HttpReceiver receiver{follow({{"consultaNFe", found_}}), demanding()};
    const SaoPauloAuthority authority = authority_at(receiver);
    const Said said = authority.consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, chave_text);
    EXPECT_EQ(said.is_ours, true);
    EXPECT_EQ(said.exchanges, 1u);
    EXPECT_EQ(authority.is_made_of(said.xml, subject().xml), true);
    EXPECT_EQ(
        authority.is_made_of(said.xml, make_rps({.valor = "<ValorServicos>1</ValorServicos>"})),
        false
    );
    EXPECT_EQ(authority.is_made_of("<RetornoEnvioRPS/>", subject().xml), std::nullopt);
    EXPECT_EQ(authority.is_made_of("rubbish", subject().xml), std::nullopt);
    const std::string message = message_in(receiver.received().at(0));
    const auto document = xml::Document::parse(message);
    ASSERT_TRUE(document);
    EXPECT_TRUE(check_whole_signature(*document));
    EXPECT_THAT(message, HasSubstr("<SerieRPS>OL03</SerieRPS><NumeroRPS>1</NumeroRPS>"));
    EXPECT_THAT(message, HasSubstr("Versao=\"1\""));
    // Where the document's own layout is not at hand.
    Subject bare = subject();
    bare.xml.clear();
    EXPECT_EQ(authority.consult(bare, ample, {}).word, Word::authorised);
    EXPECT_THAT(message_in(receiver.received().at(1)), HasSubstr("Versao=\"2\""));
    EXPECT_THAT(receiver.received().at(1).body, HasSubstr("<VersaoSchema>2</VersaoSchema>"));
}

TEST_F(SaoPauloAuthorityTest, ACancellationIsMadeOnceAndSentAsItIs)
{
    HttpReceiver receiver{
        follow({{"cancelamentoNFe", {.body = cancelamento_answer("true", alerta("1301"))}}}),
        demanding()
    };
    const SaoPauloAuthority authority = authority_at(receiver);
    Subject known = subject();
    known.chave = chave_text;
    const auto pedido = authority.make_cancellation(known, "Serviço não prestado", Instant{});
    ASSERT_TRUE(pedido) << pedido.error().detail;
    EXPECT_EQ(
        authority.make_cancellation(known, "Outro motivo qualquer", Instant{}).value(), *pedido
    );

    const Said said = authority.cancel(known, {"Serviço não prestado", *pedido}, ample, {});
    EXPECT_EQ(said.word, Word::cancelled) << said.detail;
    EXPECT_EQ(said.chave, chave_text);
    EXPECT_EQ(said.exchanges, 1u);
    EXPECT_EQ(message_in(receiver.received().at(0)), *pedido);
    EXPECT_THAT(receiver.received().at(0).body, HasSubstr("<VersaoSchema>1</VersaoSchema>"));

    EXPECT_FALSE(authority.make_cancellation(subject(), "Serviço não prestado", Instant{}));
    EXPECT_EQ(authority.cancel(subject(), {"", *pedido}, ample, {}).word, Word::unreached);
    EXPECT_FALSE(authority.make_substitution(known, "", "", Instant{}));
}

TEST_F(SaoPauloAuthorityTest, NoAnswerIsUnknownAndNoConnectionUnreached)
{
    HttpReceiver silent{
        [](const Received&) { return Reaction{.kind = Reaction::Kind::hold}; }, demanding()
    };
    // What a busy machine did not even send in time tells nothing.
    Said late;
    Duration limit = 150ms;
    test::wait_until("a call that was sent gets no answer", [&] {
        limit = std::min<Duration>(2 * limit, 10s);
        late = authority_at(silent).emit(subject(), limit, {});
        return late.word == Word::unknown;
    });
    EXPECT_EQ(late.http_status, 0);
    std::string url;
    {
        HttpReceiver gone{follow({}), demanding()};
        url = gone.url("/");
    }
    const SaoPauloAuthority nowhere = authority_with(options_at(url));
    EXPECT_EQ(nowhere.emit(subject(), ample, {}).word, Word::unreached);
    EXPECT_EQ(nowhere.emit(sent_before(), ample, {}).word, Word::unreached);
    EXPECT_EQ(nowhere.consult(subject(), ample, {}).word, Word::unreached);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(authority_at(silent).emit(subject(), ample, stop.get_token()).word, Word::unreached);
    Subject nameless = subject();
    nameless.id_autoridade = "DPS1";
    EXPECT_EQ(authority_at(silent).emit(nameless, ample, {}).word, Word::unreached);
    EXPECT_EQ(authority_at(silent).consult(nameless, ample, {}).word, Word::unreached);
}

TEST_F(SaoPauloAuthorityTest, WhatIsMissingIsToldBeforeAnythingIsSent)
{
    HttpReceiver receiver{follow({{"envioRPS", issued_}}), demanding()};
    const SaoPauloAuthority authority = authority_at(receiver);
    Subject real = subject();
    real.ambiente = Ambiente::producao;
    EXPECT_EQ(authority.check(real).error().code, Errc::misconfigured);
    EXPECT_THAT(authority.check(real).error().detail, HasSubstr("fiscal.sao_paulo.producao"));
    EXPECT_EQ(authority.emit(real, ample, {}).word, Word::unreached);
    Subject stranger = sent_before();
    stranger.emitente = "12ABC34501DE35";
    EXPECT_THAT(authority.check(stranger).error().detail, HasSubstr("[[fiscal.emitente]]"));
    EXPECT_EQ(authority.emit(stranger, ample, {}).word, Word::unreached);
    EXPECT_EQ(authority.consult(stranger, ample, {}).word, Word::unreached);
    stranger.chave = chave_text;
    EXPECT_FALSE(authority.make_cancellation(stranger, "", Instant{}));
    EXPECT_TRUE(receiver.received().empty());
    EXPECT_EQ(authority.absence_settles_after(), 60s);
    EXPECT_EQ(authority.name(), "nfse-sp");
}

// By every call; and the new one is taken without a restart.
TEST_F(SaoPauloAuthorityTest, ACertificateThatTheCityRefusesIsNamed)
{
    const test::Issued foreign =
        test::TestAuthority{"Stranger"}.issue({.common_name = "LOJA LTDA:" + std::string{cnpj}});
    write("loja.pem", foreign.certificate_pem + foreign.key_pem);
    HttpReceiver receiver{follow({{"consultaNFe", absent_}}), demanding()};
    const SaoPauloAuthority authority = authority_at(receiver);
    Subject known = subject();
    known.chave = chave_text;
    for (const Said& said :
         {authority.emit(subject(), ample, {}),
          authority.emit(sent_before(), ample, {}),
          authority.consult(subject(), ample, {}),
          authority.cancel(known, {"", "<x/>"}, ample, {})}) {
        EXPECT_EQ(to_text(said.word), to_text(Word::unreached)) << said.detail;
        EXPECT_TRUE(said.is_certificate_refused);
        EXPECT_EQ(said.exchanges, 1u);
        EXPECT_THAT(said.detail, HasSubstr("refuses the certificate of " + std::string{cnpj}));
        EXPECT_THAT(said.detail, HasSubstr("replace `certificado`"));
    }
    EXPECT_TRUE(receiver.received().empty());
    write("loja.pem", loja().certificate_pem + loja().key_pem);
    const Said said = authority.consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::absent) << said.detail;
    EXPECT_FALSE(said.is_certificate_refused);

    write("loja.pem", "");
    const Said missing = authority_at(receiver).consult(subject(), ample, {});
    EXPECT_EQ(missing.word, Word::unreached);
    EXPECT_TRUE(missing.is_certificate_refused);
    EXPECT_EQ(missing.exchanges, 0u);
}

TEST_F(SaoPauloAuthorityTest, ACityThatIsNotBelievedDoesNotRefuseOurs)
{
    test::ReceiverTls tls = demanding();
    const test::Issued theirs = test::TestAuthority{"Stranger"}.issue({.common_name = "localhost"});
    tls.certificate = theirs.certificate_pem;
    tls.key = theirs.key_pem;
    HttpReceiver receiver{follow({}), tls};
    const Said said = authority_at(receiver).emit(subject(), ample, {});
    EXPECT_EQ(said.word, Word::unreached);
    EXPECT_FALSE(said.is_certificate_refused);
    EXPECT_THAT(said.detail, HasSubstr("see whether fiscal.sao_paulo.ca_file has its CA"));
}

}  // namespace
}  // namespace umavez::fiscal::sao_paulo
