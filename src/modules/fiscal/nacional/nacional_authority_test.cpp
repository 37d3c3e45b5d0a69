// The adapter against a server on loopback that demands a certificate and answers from a script.

#include "modules/fiscal/nacional/nacional_authority.hpp"

#include "base/base64.hpp"
#include "json/tree.hpp"
#include "modules/fiscal/nacional/test_documents.hpp"
#include "support/http_receiver.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>

namespace umavez::fiscal::nacional {
namespace {

using namespace std::chrono_literals;
using namespace test_documents;
using test::HttpReceiver;
using test::Reaction;
using test::Received;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view cnpj = "00574753000100";

constexpr auto ample = 10min;  // for a call: none of these takes it

class NacionalAuthorityTest : public testing::Test {
protected:
    NacionalAuthorityTest()
    {
        write("ca.pem", issuer_.pem());
        write(
            "loja.pfx",
            test::make_pkcs12(
                loja_.certificate_pem, loja_.key_pem, "umavez", test::Pkcs12Kind::rc2_40
            )
        );
    }

    // By method and path; what is not in it is 404.
    using Script = std::map<std::string, Reaction>;
    HttpReceiver::React follow(Script script) const
    {
        return [script](const Received& request) {
            const auto found = script.find(request.method + " " + request.target);
            return found == script.end() ? Reaction{.status = 404, .body = "{}"} : found->second;
        };
    }
    test::ReceiverTls demanding() const
    {
        return {server_.certificate_pem, server_.key_pem, issuer_.pem()};
    }
    NacionalAuthority authority_at(const std::string& url, CertificateBook::Files files) const
    {
        return {
            {.producao = "",
             .homologacao = url,
             .ca_file = folder_.path() + "/ca.pem",
             .connect_timeout = ample},
            std::make_shared<CertificateBook>(std::move(files)),
            system_clock(),
        };
    }
    NacionalAuthority authority_at(const HttpReceiver& receiver) const
    {
        return authority_at(receiver.url("/sefin"), our_files());
    }
    CertificateBook::Files our_files() const
    {
        return {
            {std::string{cnpj}, {.file = folder_.path() + "/loja.pfx", .password = "umavez"}},
        };
    }
    Subject subject() const
    {
        return {
            .emitente = std::string{cnpj},
            .id_autoridade = std::string{id_dps},
            .xml = make_dps(),
        };
    }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream{folder_.path() + "/" + name} << text;
    }
    static std::vector<std::string> asked(const HttpReceiver& receiver)
    {
        std::vector<std::string> all;
        for (const Received& one : receiver.received())
            all.push_back(one.method + " " + one.target);
        return all;
    }

    const test::TemporaryFolder folder_;
    const test::TestAuthority issuer_;
    const test::Issued server_ = issuer_.issue({.common_name = "localhost"});
    const test::Issued loja_ =
        issuer_.issue({.common_name = "LOJA LTDA:00574753000100", .cnpj = std::string{cnpj}});
    const std::string dps_path_ = fmt::format("/sefin/dps/{}", id_dps);
    const std::string nfse_path_ = fmt::format("/sefin/nfse/{}", chave);
    const std::string key_answer_ =
        fmt::format(R"({{"idDps":"{}","chaveAcesso":"{}"}})", id_dps, chave);

    static std::string nfse_answer(const std::string& dps)
    {
        return fmt::format(
            R"({{"idDps":"{}","chaveAcesso":"{}","nfseXmlGZipB64":"{}"}})",
            id_dps,
            chave,
            pack(make_nfse(dps))
        );
    }
    std::string event_path(std::string_view kind) const
    {
        return fmt::format("{}/eventos/{}/1", nfse_path_, kind);
    }
    static Reaction event(std::string_view kind)
    {
        return {
            .body = fmt::format(
                R"({{"eventos":[{{"tipoEvento":"{}","arquivoXml":"{}"}}]}})",
                kind,
                to_base64(pack(make_evento(kind)))
            )
        };
    }
    // A note that exists, and what else there is.
    Script existing(Script more = {}) const
    {
        more.insert({"GET " + dps_path_, {.body = key_answer_}});
        more.insert({"GET " + nfse_path_, {.body = nfse_answer(make_dps())}});
        return more;
    }
};

TEST_F(NacionalAuthorityTest, EmissionSendsTheBytesAndReadsTheNote)
{
    HttpReceiver receiver{
        follow({{"POST /sefin/nfse", {.status = 201, .body = nfse_answer(make_dps())}}}),
        demanding()
    };
    const NacionalAuthority authority = authority_at(receiver);
    EXPECT_TRUE(authority.check(subject()));

    const Said said = authority.emit(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, chave);
    EXPECT_EQ(said.is_ours, true);
    const Received got = receiver.received().at(0);
    EXPECT_EQ(got.header("content-type"), "application/json");
    const auto body = JsonTree::parse(got.body);
    ASSERT_TRUE(body);
    EXPECT_EQ(unpack(body->root().find("dpsXmlGZipB64")->string()).value(), make_dps());
}

TEST_F(NacionalAuthorityTest, ADuplicateExistsAndIsNotAuthorisedBeforeItWasConsulted)
{
    Script script = existing(
        {{"POST /sefin/nfse",
          {.status = 400, .body = R"({"erros":[{"codigo":"E0014","descricao":"duplicada"}]})"}}}
    );
    HttpReceiver receiver{follow(script), demanding()};
    const NacionalAuthority authority = authority_at(receiver);

    EXPECT_EQ(authority.emit(subject(), ample, {}).word, Word::exists);
    const Said said = authority.consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, chave);
    EXPECT_EQ(said.xml, make_nfse(make_dps()));
    EXPECT_EQ(said.is_ours, true);
    EXPECT_THAT(
        asked(receiver),
        ElementsAre(
            "POST /sefin/nfse",
            "GET " + dps_path_,
            "GET " + nfse_path_,
            "GET " + event_path("101101"),
            "GET " + event_path("105102"),
            "GET " + event_path("101103")
        )
    );
}

TEST_F(NacionalAuthorityTest, ANoteOfAnotherContentIsNotOurs)
{
    Script script = existing();
    script["GET " + nfse_path_] = {.body = nfse_answer(make_dps({.more = "<x>outra</x>"}))};
    HttpReceiver receiver{follow(script), demanding()};
    const Said said = authority_at(receiver).consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised);
    EXPECT_EQ(said.is_ours, false);
}

TEST_F(NacionalAuthorityTest, EventsDecideWhatBecameOfIt)
{
    const std::pair<std::vector<const char*>, Word> cases[] = {
        {{"101101"}, Word::cancelled},
        {{"105102"}, Word::substituted},
        {{"101103"}, Word::under_analysis},
        {{"101103", "105104"}, Word::cancelled},
        {{"101103", "105105"}, Word::authorised},
    };
    for (const auto& [kinds, word] : cases) {
        Script script = existing();
        for (const char* const kind : kinds) script["GET " + event_path(kind)] = event(kind);
        HttpReceiver receiver{follow(script), demanding()};
        const Said said = authority_at(receiver).consult(subject(), ample, {});
        EXPECT_EQ(to_text(said.word), to_text(word)) << kinds.back() << said.detail;
        EXPECT_EQ(said.is_ours, true);
        EXPECT_EQ(said.chave, chave);
    }
}

TEST_F(NacionalAuthorityTest, AKnownKeyNeedsNoSearch)
{
    HttpReceiver receiver{follow({{"GET " + event_path("101101"), event("101101")}}), demanding()};
    Subject known = subject();
    known.chave = chave;
    const Said said = authority_at(receiver).consult(known, ample, {});
    EXPECT_EQ(said.word, Word::cancelled) << said.detail;
    EXPECT_EQ(said.xml, make_evento("101101"));
    EXPECT_THAT(asked(receiver), ElementsAre("GET " + event_path("101101")));
}

// At each question of a consult, each way not to answer: it is never authorised, and never absent.
TEST_F(NacionalAuthorityTest, AQuestionThatIsNotAnsweredLeavesEverythingOpen)
{
    const std::pair<Reaction, Word> faults[] = {
        {{.kind = Reaction::Kind::hang_up}, Word::unknown},
        {{.status = 500}, Word::unknown},
        {{.status = 503, .body = R"({"erro":"x"})"}, Word::unknown},
        {{.status = 403, .body = R"({"erro":{"codigo":"E403"}})"}, Word::unknown},
        {{.status = 200, .body = "rubbish"}, Word::unknown},
        {{.kind = Reaction::Kind::cut, .status = 200, .body = "{"}, Word::unknown},
        {{.status = 429, .headers = "Retry-After: 60\r\n"}, Word::throttled},
    };
    for (const std::string& place :
         {dps_path_, nfse_path_, event_path("101101"), event_path("105102"), event_path("101103")
         }) {
        for (const auto& [fault, word] : faults) {
            Script script = existing();
            script["GET " + place] = fault;
            script["HEAD " + place] = {};
            HttpReceiver receiver{follow(script), demanding()};
            const Said said = authority_at(receiver).consult(subject(), ample, {});
            EXPECT_EQ(to_text(said.word), to_text(word)) << place << ' ' << said.detail;
            if (word == Word::throttled) {
                EXPECT_EQ(said.wait, 60s);
            }
        }
    }
}

// Every answer comes in time, all of them together do not: a limit for the whole would never let it end. A
// busy machine makes one of them late now and then.
TEST_F(NacionalAuthorityTest, TheLimitIsThatOfEachCall)
{
    const auto answer = follow(existing({{"GET " + event_path("101103"), event("101103")}}));
    HttpReceiver slow{
        [&](const Received& request) {
            std::mutex mutex;
            std::condition_variable never;
            std::unique_lock lock{mutex};
            never.wait_for(lock, 300ms, [] { return false; });
            return answer(request);
        },
        demanding()
    };
    Said said;
    test::wait_until("a consult comes to its end", [&] {
        said = authority_at(slow).consult(subject(), 2s, {});
        return said.word == Word::under_analysis;
    });
    EXPECT_EQ(said.exchanges, 7u);
}

TEST_F(NacionalAuthorityTest, AConsultThatCameToNoEndIsGoneOnWith)
{
    for (const std::string& place : {nfse_path_, event_path("101101"), event_path("101103")}) {
        Script script = existing();
        script["GET " + place] = {.status = 500};
        HttpReceiver failing{follow(script), demanding()};
        const Said open = authority_at(failing).consult(subject(), ample, {});
        EXPECT_EQ(open.word, Word::unknown);
        EXPECT_EQ(open.chave, "") << place;
        EXPECT_EQ(open.pista, chave) << place;
        EXPECT_EQ(open.exchanges, failing.received().size());
    }
    // Only seen, so the note is still compared.
    HttpReceiver receiver{follow(existing()), demanding()};
    Subject seen = subject();
    seen.pista = chave;
    const Said said = authority_at(receiver).consult(seen, ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, chave);
    EXPECT_EQ(said.pista, "");
    EXPECT_EQ(said.is_ours, true);
    EXPECT_EQ(said.exchanges, 4u);
    EXPECT_EQ(asked(receiver).front(), "GET " + nfse_path_);
    // One that leads nowhere is forgotten.
    HttpReceiver empty{follow({}), demanding()};
    const Said lost = authority_at(empty).consult(seen, ample, {});
    EXPECT_EQ(lost.word, Word::unknown);
    EXPECT_EQ(lost.pista, "");
}

TEST_F(NacionalAuthorityTest, WhoMayNotSeeTheKeyMayStillSeeThatThereIsNone)
{
    const Reaction forbidden{.status = 403, .body = R"({"erro":{"codigo":"E403"}})"};
    HttpReceiver absent{follow({{"GET " + dps_path_, forbidden}}), demanding()};
    EXPECT_EQ(authority_at(absent).consult(subject(), ample, {}).word, Word::absent);
    HttpReceiver present{
        follow({{"GET " + dps_path_, forbidden}, {"HEAD " + dps_path_, {}}}), demanding()
    };
    const Said said = authority_at(present).consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::unknown);
    EXPECT_THAT(said.detail, HasSubstr("may not see it"));
}

TEST_F(NacionalAuthorityTest, NoAnswerIsUnknownAndNoConnectionUnreached)
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
        url = gone.url("/sefin");
    }
    EXPECT_EQ(authority_at(url, our_files()).emit(subject(), ample, {}).word, Word::unreached);

    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(authority_at(silent).emit(subject(), ample, stop.get_token()).word, Word::unreached);
}

TEST_F(NacionalAuthorityTest, ACancellationIsMadeOnceAndSentAsItIs)
{
    const std::string body =
        fmt::format(R"({{"eventoXmlGZipB64":"{}"}})", pack(make_evento("101101")));
    HttpReceiver receiver{
        follow({{"POST " + nfse_path_ + "/eventos", {.status = 201, .body = body}}}), demanding()
    };
    const NacionalAuthority authority = authority_at(receiver);
    Subject known = subject();
    known.chave = chave;
    const auto pedido =
        authority.make_cancellation(known, "Serviço não prestado", system_clock().realtime());
    ASSERT_TRUE(pedido) << pedido.error().detail;

    const Said said = authority.cancel(known, {"Serviço não prestado", *pedido}, ample, {});
    EXPECT_EQ(said.word, Word::cancelled) << said.detail;
    const std::string sent = receiver.received().at(0).body;
    const auto tree = JsonTree::parse(sent);
    ASSERT_TRUE(tree);
    EXPECT_EQ(
        unpack(tree->root().find("pedidoRegistroEventoXmlGZipB64")->string()).value(), *pedido
    );
}

TEST_F(NacionalAuthorityTest, CertificatesAreCheckedBeforeAnythingIsSent)
{
    HttpReceiver receiver{follow({}), demanding()};
    const auto why_not = [&](const CertificateBook::Files& files) {
        const NacionalAuthority authority = authority_at(receiver.url("/sefin"), files);
        const Said said = authority.emit(subject(), ample, {});
        EXPECT_EQ(said.word, Word::unreached);
        EXPECT_TRUE(said.is_certificate_refused);
        const auto checked = authority.check(subject());
        EXPECT_FALSE(checked);
        EXPECT_EQ(checked.error().code, Errc::misconfigured);
        return checked.error().detail;
    };
    const auto files = [&](const std::string& name, const std::string& password = {}) {
        return CertificateBook::Files{
            {std::string{cnpj}, {.file = folder_.path() + "/" + name, .password = password}}
        };
    };
    const auto write_pem = [&](const std::string& name, const test::Issued& issued) {
        write(name, issued.certificate_pem + issued.key_pem);
    };
    write_pem(
        "old.pem", issuer_.issue({.common_name = "LOJA:00574753000100", .from = -2h, .until = -1h})
    );
    write_pem(
        "young.pem", issuer_.issue({.common_name = "LOJA:00574753000100", .from = 1h, .until = 2h})
    );
    write_pem("other.pem", issuer_.issue({.common_name = "OUTRA:12ABC34501DE35"}));
    EXPECT_THAT(why_not({}), HasSubstr("[[fiscal.emitente]]"));
    EXPECT_THAT(why_not(files("absent.pfx")), HasSubstr("does not exist"));
    EXPECT_THAT(why_not(files("loja.pfx", "outra")), HasSubstr("the password is wrong"));
    EXPECT_THAT(why_not(files("old.pem")), HasSubstr("expired on"));
    EXPECT_THAT(why_not(files("young.pem")), HasSubstr("is not valid before"));
    EXPECT_THAT(why_not(files("other.pem")), HasSubstr("belongs to 12ABC34501DE35"));
    EXPECT_TRUE(receiver.received().empty());
    Subject real = subject();
    real.ambiente = Ambiente::producao;
    EXPECT_THAT(
        authority_at(receiver).check(real).error().detail, HasSubstr("fiscal.nacional.producao")
    );
}

// By every call, with either TLS; and the new one is taken without a restart.
TEST_F(NacionalAuthorityTest, ACertificateThatTheAuthorityRefusesIsNamed)
{
    const test::Issued foreign =
        test::TestAuthority{"Stranger"}.issue({.common_name = "LOJA LTDA:00574753000100"});
    for (const bool is_old : {true, false}) {
        write("replaced.pem", foreign.certificate_pem + foreign.key_pem);
        test::ReceiverTls tls = demanding();
        tls.is_old = is_old;
        HttpReceiver receiver{follow({}), tls};
        const NacionalAuthority authority = authority_at(
            receiver.url("/sefin"),
            {{std::string{cnpj}, {.file = folder_.path() + "/replaced.pem"}}}
        );
        Subject known = subject();
        known.chave = chave;
        for (const Said& said :
             {authority.emit(subject(), ample, {}),
              authority.consult(subject(), ample, {}),
              authority.consult(known, ample, {}),
              authority.cancel(known, {"Servico nao prestado", "<x/>"}, ample, {})}) {
            EXPECT_EQ(to_text(said.word), to_text(Word::unreached)) << said.detail;
            EXPECT_TRUE(said.is_certificate_refused);
            EXPECT_EQ(said.exchanges, 1u);
            EXPECT_THAT(said.detail, HasSubstr("certificate of 00574753000100 (LOJA LTDA:0057475"));
            EXPECT_THAT(said.detail, HasSubstr("unknown CA): replace `certificado`"));
        }
        EXPECT_TRUE(receiver.received().empty());
        write("replaced.pem", loja_.certificate_pem + loja_.key_pem);
        const Said said = authority.consult(subject(), ample, {});
        EXPECT_EQ(said.word, Word::absent) << said.detail;
        EXPECT_FALSE(said.is_certificate_refused);
    }
}

// A page under 403 refuses an emission; a question is refused only where it would be to everybody.
TEST_F(NacionalAuthorityTest, AFrontThatForbidsMayMeanTheCertificate)
{
    const Reaction page{.status = 403, .body = "<html>client certificate is not trusted</html>"};
    const auto consult_with = [&](const Reaction& head) {
        HttpReceiver receiver{
            follow({{"GET " + dps_path_, page}, {"HEAD " + dps_path_, head}}), demanding()
        };
        return authority_at(receiver).consult(subject(), ample, {});
    };
    const Said forbidden = consult_with({.status = 403});
    EXPECT_EQ(forbidden.word, Word::unknown);
    EXPECT_TRUE(forbidden.is_certificate_refused);
    EXPECT_THAT(forbidden.detail, HasSubstr("refuses the certificate of 00574753000100"));
    for (const int status : {200, 404, 500}) {
        const Said said = consult_with({.status = status});
        EXPECT_FALSE(said.is_certificate_refused) << status << ' ' << said.detail;
    }
    HttpReceiver receiver{follow({{"POST /sefin/nfse", page}}), demanding()};
    const Said said = authority_at(receiver).emit(subject(), ample, {});
    EXPECT_EQ(said.word, Word::unknown);
    EXPECT_TRUE(said.is_certificate_refused);
    EXPECT_THAT(said.detail, HasSubstr("POST /nfse: HTTP 403: <html>client certificate"));
}

TEST_F(NacionalAuthorityTest, AnAuthorityThatIsNotBelievedDoesNotRefuseOurs)
{
    for (const char* const name : {"Stranger", "Test Authority"}) {
        test::ReceiverTls tls = demanding();
        const test::Issued theirs = test::TestAuthority{name}.issue({.common_name = "localhost"});
        tls.certificate = theirs.certificate_pem;
        tls.key = theirs.key_pem;
        HttpReceiver receiver{follow({}), tls};
        const Said said = authority_at(receiver).emit(subject(), ample, {});
        EXPECT_EQ(said.word, Word::unreached);
        EXPECT_FALSE(said.is_certificate_refused);
        EXPECT_THAT(said.detail, HasSubstr("see whether fiscal.nacional.ca_file has its CA"));
    }
}

TEST_F(NacionalAuthorityTest, ACertificateThatWasPutRightIsSeen)
{
    HttpReceiver receiver{follow({}), demanding()};
    const NacionalAuthority authority = authority_at(
        receiver.url("/sefin"), {{std::string{cnpj}, {.file = folder_.path() + "/late.pem"}}}
    );
    EXPECT_FALSE(authority.check(subject()));
    const test::Issued other = issuer_.issue({.common_name = "OUTRA:12ABC34501DE35"});
    write("late.pem", other.certificate_pem + other.key_pem);
    EXPECT_FALSE(authority.check(subject()));
    write("late.pem", loja_.certificate_pem + loja_.key_pem);
    EXPECT_TRUE(authority.check(subject()));
    EXPECT_EQ(authority.consult(subject(), ample, {}).word, Word::absent);
}

}  // namespace
}  // namespace umavez::fiscal::nacional
