// The adapter against a server on loopback that demands a certificate and answers from a script.

#include "modules/fiscal/sefaz/sefaz_authority.hpp"

#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/test_answers.hpp"
#include "modules/fiscal/sefaz/test_documents.hpp"
#include "support/http_receiver.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <map>

namespace umavez::fiscal::sefaz {
namespace {

using namespace std::chrono_literals;
using namespace test_answers;
using namespace test_documents;
using test::HttpReceiver;
using test::Reaction;
using test::Received;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view recibo = "351000012345678";
constexpr const char* why = "Mercadoria não entregue";

constexpr auto ample = 10min;  // for a call: none of these takes it

// Stands still until it is moved.
class MovedClock final : public Clock {
public:
    Instant realtime() const override { return realtime_ + moved_.load(); }
    Duration boottime() const override { return boottime_ + moved_.load(); }
    void move(Duration by) { moved_ = moved_.load() + by; }

private:
    const Instant realtime_ = system_clock().realtime();
    const Duration boottime_ = system_clock().boottime();
    std::atomic<Duration> moved_{Duration{0}};
};

class SefazAuthorityTest : public testing::Test {
protected:
    SefazAuthorityTest()
    {
        write("ca.pem", issuer().pem());
        write("loja.pem", shop().certificate_pem + shop().key_pem);
    }

    // By service; one that is not in it is 500. `said` sees the message before it is answered.
    using Script = std::map<Service, std::function<Reaction(const std::string& message)>>;
    static HttpReceiver::React follow(Script script)
    {
        return [script](const Received& request) {
            for (const auto& [service, react] : script) {
                if (request.target == fmt::format("/{}", to_text(service))) {
                    return react(request.body);
                }
            }
            return Reaction{.status = 500};
        };
    }
    static std::function<Reaction(const std::string&)> always(std::string body)
    {
        return [body = std::move(body)](const std::string&) { return Reaction{.body = body}; };
    }
    static test::ReceiverTls demanding()
    {
        static const test::Issued server = issuer().issue({.common_name = "localhost"});
        return {server.certificate_pem, server.key_pem, issuer().pem()};
    }
    static Endpoints endpoints_at(const std::string& base)
    {
        Endpoints endpoints;
        for (const Tipo tipo : {Tipo::nfe, Tipo::nfce}) {
            for (const Service service : all_services()) {
                endpoints[{"35", tipo, Ambiente::homologacao, service}] =
                    fmt::format("{}/{}", base, to_text(service));
            }
        }
        return endpoints;
    }
    SefazAuthority authority_at(const Endpoints& endpoints) const
    {
        return {
            {.endpoints = endpoints, .ca_file = folder_.path() + "/ca.pem", .connect_timeout = ample
            },
            std::make_shared<CertificateBook>(CertificateBook::Files{
                {std::string{cnpj}, {.file = folder_.path() + "/loja.pem"}},
            }),
            clock_,
        };
    }
    SefazAuthority authority_at(const HttpReceiver& receiver) const
    {
        return authority_at(endpoints_at(receiver.url("")));
    }
    Subject subject() const
    {
        return {
            .tipo = Tipo::nfe,
            .emitente = std::string{cnpj},
            .id_autoridade = chave_,
            .xml = nfe_,
        };
    }
    Subject authorised() const
    {
        Subject known = subject();
        known.chave = chave_;
        known.protocolo = "135260000000123";
        return known;
    }
    std::string our_prot(ProtWish wish = {}) const
    {
        if (wish.dig_val.empty()) wish.dig_val = find_dig_val(nfe_).value_or("");
        return prot(chave_, wish);
    }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream{folder_.path() + "/" + name} << text;
    }
    static std::vector<std::string> asked(const HttpReceiver& receiver)
    {
        std::vector<std::string> all;
        for (const Received& one : receiver.received()) all.push_back(one.target.substr(1));
        return all;
    }

    const test::TemporaryFolder folder_;
    mutable MovedClock clock_;
    const std::string chave_ = key_of();
    const std::string other_chave_ = key_of({.c_nf = "11112222"});
    const std::string nfe_ = make_nfe(shop());
};

TEST_F(SefazAuthorityTest, EmissionSendsTheBytesAndReadsTheProtocol)
{
    HttpReceiver receiver{
        follow({{Service::autorizacao, always(ret("retEnviNFe", "104", our_prot()))}}), demanding()
    };
    const SefazAuthority authority = authority_at(receiver);
    EXPECT_TRUE(authority.check(subject()));

    const Said said = authority.emit(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, chave_);
    EXPECT_EQ(said.is_ours, true);
    EXPECT_EQ(said.exchanges, 1u);
    const Received got = receiver.received().at(0);
    EXPECT_EQ(got.method, "POST");
    EXPECT_EQ(got.header("content-type"), content_type_of(Service::autorizacao));
    EXPECT_THAT(got.body, HasSubstr(root_text(nfe_)));
    EXPECT_THAT(got.body, HasSubstr("<idLote>30</idLote><indSinc>1</indSinc>"));
}

TEST_F(SefazAuthorityTest, WhatIsNotItsOwnDocumentDoesNotLeave)
{
    HttpReceiver receiver{follow({}), demanding()};
    const SefazAuthority authority = authority_at(receiver);
    Subject bent = subject();
    bent.xml.replace(bent.xml.find("LOJA LTDA"), 9, "LOJA  S/A");
    Subject other = subject();
    other.id_autoridade = other_chave_;
    Subject production = subject();
    production.ambiente = Ambiente::producao;
    for (const Subject& wrong : {bent, other, production}) {
        const Said said = authority.emit(wrong, ample, {});
        EXPECT_EQ(said.word, Word::unreached) << said.detail;
        EXPECT_EQ(said.exchanges, 0u);
    }
    EXPECT_TRUE(receiver.received().empty());
}

// Authorised, and the answer lost: 204, and the consult finds it.
TEST_F(SefazAuthorityTest, ADuplicateIsAuthorisedOnceItsDigestWasCompared)
{
    HttpReceiver receiver{
        follow(
            {{Service::autorizacao,
              always(ret("retEnviNFe", "104", our_prot({.code = "204", .n_prot = ""})))},
             {Service::consulta_protocolo, always(ret("retConsSitNFe", "100", our_prot()))}}
        ),
        demanding()
    };
    const SefazAuthority authority = authority_at(receiver);
    EXPECT_EQ(authority.emit(subject(), ample, {}).word, Word::exists);
    const Said said = authority.consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.is_ours, true);
    EXPECT_THAT(said.xml, HasSubstr(root_text(nfe_)));
    EXPECT_THAT(receiver.received().at(1).body, HasSubstr("<chNFe>" + chave_ + "</chNFe>"));

    HttpReceiver others{
        follow(
            {{Service::consulta_protocolo,
              always(ret("retConsSitNFe", "100", prot(chave_, {.dig_val = "AAAA"})))}}
        ),
        demanding()
    };
    const Said not_ours = authority_at(others).consult(subject(), ample, {});
    EXPECT_EQ(not_ours.word, Word::authorised);
    EXPECT_EQ(not_ours.is_ours, false);
}

TEST_F(SefazAuthorityTest, ANumberUnderAnotherKeyIsAskedAboutThere)
{
    const auto consult = [&](const std::string& message) {
        if (message.contains(other_chave_)) {
            return Reaction{.body = ret("retConsSitNFe", "100", prot(other_chave_))};
        }
        return Reaction{
            .body = ret("retConsSitNFe", "562", "", "difere [chNFe: " + other_chave_ + "]")
        };
    };
    HttpReceiver receiver{follow({{Service::consulta_protocolo, consult}}), demanding()};
    const Said said = authority_at(receiver).consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, other_chave_);
    EXPECT_EQ(said.is_ours, false) << "without a digest it is still not ours";
    EXPECT_THAT(said.xml, testing::Not(HasSubstr("<NFe")));
    EXPECT_EQ(said.exchanges, 2u);

    // 539 named it: no question about ours is needed.
    HttpReceiver direct{
        follow(
            {{Service::autorizacao,
              always(ret(
                  "retEnviNFe",
                  "104",
                  our_prot({.code = "539", .n_prot = "", .motivo = "[chNFe:" + other_chave_ + "]"})
              ))},
             {Service::consulta_protocolo, consult}}
        ),
        demanding()
    };
    const SefazAuthority authority = authority_at(direct);
    Subject after = subject();
    after.pista = authority.emit(subject(), ample, {}).pista;
    EXPECT_EQ(after.pista, "chave:" + other_chave_);
    const Said found = authority.consult(after, ample, {});
    EXPECT_EQ(found.chave, other_chave_);
    EXPECT_EQ(found.exchanges, 1u);

    // Not told which, or in a circle: nobody can say.
    HttpReceiver silent{
        follow({{Service::consulta_protocolo, always(ret("retConsSitNFe", "613"))}}), demanding()
    };
    EXPECT_EQ(authority_at(silent).consult(subject(), ample, {}).word, Word::unknown);
    HttpReceiver circle{
        follow(
            {{Service::consulta_protocolo,
              always(ret("retConsSitNFe", "562", "", chave_ + " " + other_chave_))}}
        ),
        demanding()
    };
    // A number that is in use is never absent, and nothing may be sent again.
    HttpReceiver contradicting{
        follow(
            {{Service::consulta_protocolo,
              [&](const std::string& message) {
                  const bool is_ours = message.contains(chave_);
                  return Reaction{
                      .body = ret("retConsSitNFe", is_ours ? "562" : "217", "", other_chave_)
                  };
              }}}
        ),
        demanding()
    };
    EXPECT_EQ(authority_at(contradicting).consult(subject(), ample, {}).word, Word::unknown);
    EXPECT_EQ(authority_at(contradicting).consult(after, ample, {}).word, Word::unknown);
    const Said lost = authority_at(circle).consult(subject(), ample, {});
    EXPECT_EQ(lost.word, Word::unknown);
    EXPECT_EQ(lost.exchanges, 2u);
    EXPECT_EQ(lost.pista, "chave:" + other_chave_);
}

TEST_F(SefazAuthorityTest, AReceiptIsAskedAboutFirstAndNotBeforeItsTime)
{
    int calls = 0;
    HttpReceiver receiver{
        follow(
            {{Service::autorizacao, always(ret("retEnviNFe", "103", receipt(recibo)))},
             {Service::ret_autorizacao,
              [&](const std::string&) {
                  return Reaction{
                      .body = ++calls == 1 ? ret("retConsReciNFe", "105")
                                           : ret("retConsReciNFe", "104", our_prot())
                  };
              }}}
        ),
        demanding()
    };
    const SefazAuthority authority = authority_at(receiver);
    Subject at = subject();
    const Said received = authority.emit(at, ample, {});
    EXPECT_EQ(received.word, Word::exists);
    at.pista = received.pista;

    const Said early = authority.consult(at, ample, {});
    EXPECT_EQ(early.word, Word::unknown);
    EXPECT_GT(early.wait, Duration{10s});
    EXPECT_EQ(early.pista, at.pista);
    EXPECT_EQ(early.exchanges, 0u);

    clock_.move(16s);
    const Said pending = authority.consult(at, ample, {});
    EXPECT_EQ(pending.word, Word::unknown);
    EXPECT_NE(pending.pista, at.pista);
    at.pista = pending.pista;
    EXPECT_EQ(authority.consult(at, ample, {}).exchanges, 0u);

    clock_.move(16s);
    const Said done = authority.consult(at, ample, {});
    EXPECT_EQ(done.word, Word::authorised) << done.detail;
    EXPECT_EQ(done.pista, "");
    EXPECT_THAT(
        asked(receiver), ElementsAre("NFeAutorizacao4", "NFeRetAutorizacao4", "NFeRetAutorizacao4")
    );
    EXPECT_THAT(receiver.received().at(1).body, HasSubstr("<nRec>351000012345678</nRec>"));
}

TEST_F(SefazAuthorityTest, ALostReceiptLeadsToTheKey)
{
    Subject at = subject();
    at.pista = fmt::format("recibo:{}:1", recibo);
    for (const std::string& lost :
         {ret("retConsReciNFe", "106"),
          ret("retConsReciNFe", "104"),
          ret("retConsReciNFe", "104", our_prot({.code = "204", .n_prot = ""}))}) {
        HttpReceiver receiver{
            follow(
                {{Service::ret_autorizacao, always(lost)},
                 {Service::consulta_protocolo, always(ret("retConsSitNFe", "217"))}}
            ),
            demanding()
        };
        const Said said = authority_at(receiver).consult(at, ample, {});
        EXPECT_EQ(said.word, Word::absent) << said.detail;
        EXPECT_EQ(said.exchanges, 2u);
        EXPECT_EQ(said.pista, "");
    }
    // Its refusal is one.
    HttpReceiver refusing{
        follow(
            {{Service::ret_autorizacao,
              always(ret("retConsReciNFe", "104", our_prot({.code = "703", .n_prot = ""})))}}
        ),
        demanding()
    };
    EXPECT_EQ(authority_at(refusing).consult(at, ample, {}).word, Word::refused);
}

// A service that does not work any more must be no dead end; but while a receipt is open, nothing is absent.
TEST_F(SefazAuthorityTest, AReceiptThatTellsNothingLeadsToTheKeyButNotToAnAbsence)
{
    Subject at = subject();
    at.pista = fmt::format("recibo:{}:1", recibo);
    const Reaction faults[] = {
        {.kind = Reaction::Kind::hang_up},
        {.status = 404},
        {.status = 500, .body = "<html/>"},
        {.body = "rubbish"},
        {.body = ret("retConsReciNFe", "104", "<nRec>351000012345679</nRec>")},
    };
    const auto consult = [&](const Reaction& fault, const std::string& by_key) {
        HttpReceiver receiver{
            follow(
                {{Service::ret_autorizacao, [fault](const std::string&) { return fault; }},
                 {Service::consulta_protocolo, always(by_key)}}
            ),
            demanding()
        };
        Said said = authority_at(receiver).consult(at, ample, {});
        EXPECT_THAT(asked(receiver), ElementsAre("NFeRetAutorizacao4", "NFeConsultaProtocolo4"));
        return said;
    };
    for (const Reaction& fault : faults) {
        const Said found = consult(fault, ret("retConsSitNFe", "100", our_prot()));
        EXPECT_EQ(found.word, Word::authorised) << found.detail;
        EXPECT_EQ(found.pista, "");
        for (const std::string& open : {ret("retConsSitNFe", "217"), std::string{"rubbish"}}) {
            const Said said = consult(fault, open);
            EXPECT_EQ(to_text(said.word), to_text(Word::unknown)) << said.detail;
            EXPECT_THAT(said.pista, HasSubstr(recibo));
            EXPECT_GE(said.wait, Duration{15s});
            EXPECT_EQ(said.exchanges, 2u);
        }
    }
    // Whoever is told to ask less asks nobody else.
    HttpReceiver busy{
        follow(
            {{Service::ret_autorizacao, [](const std::string&) { return Reaction{.status = 429}; }}}
        ),
        demanding()
    };
    const Said throttled = authority_at(busy).consult(at, ample, {});
    EXPECT_EQ(throttled.word, Word::throttled);
    EXPECT_EQ(throttled.exchanges, 1u);
    EXPECT_THAT(throttled.pista, HasSubstr(recibo));
}

// Our certificate (280) and the form of the question (215) are refused, not the document.
TEST_F(SefazAuthorityTest, AQuestionThatIsRefusedRefusesNoDocument)
{
    Subject waiting = subject();
    waiting.pista = fmt::format("recibo:{}:1", recibo);
    for (const std::string code : {"280", "215", "252"}) {
        HttpReceiver receiver{
            follow(
                {{Service::consulta_protocolo, always(ret("retConsSitNFe", code))},
                 {Service::ret_autorizacao, always(ret("retConsReciNFe", code))}}
            ),
            demanding()
        };
        const SefazAuthority authority = authority_at(receiver);
        for (const Subject& about : {subject(), waiting}) {
            const Said said = authority.consult(about, ample, {});
            EXPECT_EQ(to_text(said.word), to_text(Word::unknown)) << said.detail;
            EXPECT_THAT(said.detail, HasSubstr(code + ": motivo"));
            EXPECT_EQ(said.is_certificate_refused, code == "280");
            EXPECT_EQ(said.pista.contains(recibo), !about.pista.empty());
        }
    }
}

TEST_F(SefazAuthorityTest, AReceiptThatNamesAnotherKeyLeadsThere)
{
    Subject at = subject();
    at.pista = fmt::format("recibo:{}:1", recibo);
    HttpReceiver receiver{
        follow(
            {{Service::ret_autorizacao,
              always(ret(
                  "retConsReciNFe",
                  "104",
                  our_prot({.code = "539", .n_prot = "", .motivo = "[chNFe:" + other_chave_ + "]"})
              ))},
             {Service::consulta_protocolo, always(ret("retConsSitNFe", "100", prot(other_chave_)))}}
        ),
        demanding()
    };
    const Said said = authority_at(receiver).consult(at, ample, {});
    EXPECT_EQ(said.word, Word::authorised) << said.detail;
    EXPECT_EQ(said.chave, other_chave_);
    EXPECT_EQ(said.is_ours, false);
    EXPECT_EQ(said.exchanges, 2u);
}

// At each question, each way not to answer: never authorised, and never absent.
TEST_F(SefazAuthorityTest, AQuestionThatIsNotAnsweredLeavesEverythingOpen)
{
    const std::pair<Reaction, Word> faults[] = {
        {{.kind = Reaction::Kind::hang_up}, Word::unknown},
        {{.status = 500}, Word::unknown},
        {{.status = 503, .body = "<html/>"}, Word::unknown},
        {{.status = 404, .body = ret("retConsSitNFe", "217")}, Word::unknown},
        {{.kind = Reaction::Kind::cut, .body = ret("retConsSitNFe", "217")}, Word::unknown},
        {{.status = 429, .headers = "Retry-After: 60\r\n"}, Word::throttled},
        {{.body = ret("retConsSitNFe", "656")}, Word::throttled},
    };
    for (const auto& [fault, word] : faults) {
        const auto react = [reaction = fault](const std::string&) { return reaction; };
        HttpReceiver receiver{
            follow(
                {{Service::consulta_protocolo, react},
                 {Service::autorizacao, react},
                 {Service::recepcao_evento, react},
                 {Service::inutilizacao, react}}
            ),
            demanding()
        };
        const SefazAuthority authority = authority_at(receiver);
        const std::string pedido =
            authority.make_cancellation(authorised(), why, clock_.realtime()).value_or("");
        const Said said = authority.consult(subject(), ample, {});
        EXPECT_EQ(to_text(said.word), to_text(word)) << said.detail;
        if (fault.body.empty() && word == Word::throttled) {
            EXPECT_EQ(said.wait, 60s);
        }
        if (fault.status == 200 && fault.kind == Reaction::Kind::answer) continue;
        EXPECT_EQ(authority.emit(subject(), ample, {}).word, word);
        EXPECT_EQ(authority.cancel(authorised(), {why, pedido}, ample, {}).word, word);
        EXPECT_EQ(
            authority
                .void_numbers(
                    {.emitente = std::string{cnpj}, .uf = "35", .justificativa = ""},
                    "<a/>",
                    ample,
                    {}
                )
                .word,
            word
        );
    }
}

TEST_F(SefazAuthorityTest, NoAnswerIsUnknownAndNoConnectionUnreached)
{
    HttpReceiver silent{
        [](const Received&) { return Reaction{.kind = Reaction::Kind::hold}; }, demanding()
    };
    const SefazAuthority patient = authority_at(silent);
    // What a busy machine did not even send in time tells nothing.
    Said late;
    Duration limit = 150ms;
    test::wait_until("a call that was sent gets no answer", [&] {
        limit = std::min<Duration>(2 * limit, 10s);
        late = patient.emit(subject(), limit, {});
        return late.word == Word::unknown;
    });
    EXPECT_EQ(late.http_status, 0);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(patient.emit(subject(), ample, stop.get_token()).word, Word::unreached);
    EXPECT_EQ(patient.consult(subject(), 0s, {}).word, Word::unreached);

    std::string url;
    {
        HttpReceiver gone{follow({}), demanding()};
        url = gone.url("");
    }
    const SefazAuthority nobody = authority_at(endpoints_at(url));
    EXPECT_EQ(nobody.emit(subject(), ample, {}).word, Word::unreached);
    EXPECT_EQ(nobody.consult(subject(), ample, {}).word, Word::unreached);
}

TEST_F(SefazAuthorityTest, ACancellationIsMadeOnceAndSentAsItIs)
{
    HttpReceiver receiver{
        follow(
            {{Service::recepcao_evento,
              [&](const std::string& message) {
                  const bool is_substitution = message.contains("<tpEvento>110112");
                  const std::string key = is_substitution ? key_of({.mod = "65"}) : chave_;
                  return Reaction{
                      .body =
                          ret("retEnvEvento",
                              "128",
                              ret_evento(key, "135", is_substitution ? "110112" : "110111"))
                  };
              }}}
        ),
        demanding()
    };
    const SefazAuthority authority = authority_at(receiver);
    const auto pedido = authority.make_cancellation(authorised(), why, clock_.realtime());
    ASSERT_TRUE(pedido) << pedido.error().detail;
    const Said said = authority.cancel(authorised(), {why, *pedido}, ample, {});
    EXPECT_EQ(said.word, Word::cancelled) << said.detail;
    EXPECT_EQ(said.exchanges, 1u);
    EXPECT_THAT(receiver.received().at(0).body, HasSubstr(root_text(*pedido)));
    EXPECT_THAT(said.xml, HasSubstr(root_text(*pedido)));

    Subject consumer = authorised();
    consumer.tipo = Tipo::nfce;
    consumer.chave = key_of({.mod = "65"});
    const std::string substitute = key_of({.mod = "65", .numero = "31"});
    const auto substitution =
        authority.make_substitution(consumer, why, substitute, clock_.realtime());
    ASSERT_TRUE(substitution) << substitution.error().detail;
    EXPECT_EQ(
        authority.cancel(consumer, {why, *substitution, substitute}, ample, {}).word,
        Word::substituted
    );
    // What was kept is what is asked for, whatever else is known by then.
    EXPECT_EQ(authority.cancel(consumer, {why, *substitution}, ample, {}).word, Word::substituted);
    EXPECT_EQ(
        authority.cancel(authorised(), {why, *pedido, substitute}, ample, {}).word, Word::cancelled
    );
    EXPECT_EQ(authority.cancel(authorised(), {why, "<evento/>"}, ample, {}).word, Word::unreached);
    EXPECT_FALSE(authority.make_substitution(consumer, why, "", clock_.realtime()));
    EXPECT_EQ(authority.cancel(subject(), {why, *pedido}, ample, {}).word, Word::unreached);
}

TEST_F(SefazAuthorityTest, AVoidingSentAgainIsAnsweredWithTheFirstProtocol)
{
    int calls = 0;
    HttpReceiver receiver{
        follow(
            {{Service::inutilizacao,
              [&](const std::string&) {
                  if (++calls == 1) return Reaction{.kind = Reaction::Kind::hang_up};
                  return Reaction{.body = ret_inut("563", "135260000000111")};
              }}}
        ),
        demanding()
    };
    const SefazAuthority authority = authority_at(receiver);
    const Inutilizacao numbers{
        .emitente = std::string{cnpj},
        .uf = "35",
        .ano = 2026,
        .serie = 1,
        .primeiro = 31,
        .ultimo = 34,
        .justificativa = why,
    };
    const auto pedido = authority.make_voiding(numbers);
    ASSERT_TRUE(pedido) << pedido.error().detail;
    EXPECT_EQ(authority.void_numbers(numbers, *pedido, ample, {}).word, Word::unknown);
    const Said said = authority.void_numbers(numbers, *pedido, ample, {});
    EXPECT_EQ(said.word, Word::voided) << said.detail;
    EXPECT_EQ(said.protocolo, "135260000000111");
    EXPECT_EQ(receiver.received().at(0).body, receiver.received().at(1).body);

    // Made last year, and sent again.
    Inutilizacao later = numbers;
    later.ano = 2027;
    EXPECT_EQ(authority.void_numbers(later, *pedido, ample, {}).word, Word::voided);
}

// Before anything is marked as sent.
TEST_F(SefazAuthorityTest, WhatCannotBeSentIsNotMade)
{
    const Endpoints all = endpoints_at("https://localhost");
    const auto without = [&](Tipo tipo, Service service) {
        Endpoints endpoints = all;
        endpoints.erase({"35", tipo, Ambiente::homologacao, service});
        return authority_at(endpoints);
    };
    const auto expect = [](const Result<std::string>& made, const std::string& sentence) {
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, Errc::misconfigured);
        EXPECT_THAT(made.error().detail, HasSubstr(sentence));
    };
    const Instant now = clock_.realtime();
    expect(
        without(Tipo::nfe, Service::recepcao_evento).make_cancellation(authorised(), why, now),
        "[[fiscal.sefaz]] evento: give the address of NFeRecepcaoEvento4 for nfe in 35, homologacao"
    );
    Subject consumer = authorised();
    consumer.tipo = Tipo::nfce;
    consumer.chave = key_of({.mod = "65"});
    expect(
        without(Tipo::nfce, Service::recepcao_evento)
            .make_substitution(consumer, why, key_of({.mod = "65", .numero = "31"}), now),
        "[[fiscal.sefaz]] evento: give the address of NFeRecepcaoEvento4 for nfce in 35"
    );
    const Inutilizacao number{
        .emitente = std::string{cnpj},
        .uf = "35",
        .ano = 2026,
        .serie = 1,
        .primeiro = 31,
        .ultimo = 31,
        .justificativa = why,
    };
    expect(
        without(Tipo::nfe, Service::inutilizacao).make_voiding(number),
        "[[fiscal.sefaz]] inutilizacao: give the address of NFeInutilizacao4 for nfe in 35, homolog"
    );
    EXPECT_TRUE(authority_at(all).make_voiding(number));
    EXPECT_TRUE(authority_at(all).make_cancellation(authorised(), why, now));
}

// By every call; and the new one is taken without a restart.
TEST_F(SefazAuthorityTest, ACertificateThatTheAuthorityRefusesIsNamed)
{
    const SefazAuthority ours = authority_at(endpoints_at("https://localhost"));
    const std::string pedido =
        ours.make_cancellation(authorised(), why, clock_.realtime()).value_or("");
    const test::Issued foreign =
        test::TestAuthority{"Stranger"}.issue({.common_name = "LOJA LTDA:" + std::string{cnpj}});
    write("loja.pem", foreign.certificate_pem + foreign.key_pem);
    HttpReceiver receiver{
        follow({{Service::consulta_protocolo, always(ret("retConsSitNFe", "217"))}}), demanding()
    };
    const SefazAuthority authority = authority_at(receiver);
    Subject waiting = subject();
    waiting.pista = fmt::format("recibo:{}:1", recibo);
    for (const Said& said :
         {authority.emit(subject(), ample, {}),
          authority.consult(subject(), ample, {}),
          authority.consult(waiting, ample, {}),
          authority.cancel(authorised(), {why, pedido}, ample, {}),
          authority.void_numbers(
              {.emitente = std::string{cnpj}, .uf = "35", .justificativa = ""}, inut(), ample, {}
          )}) {
        EXPECT_EQ(to_text(said.word), to_text(Word::unreached)) << said.detail;
        EXPECT_TRUE(said.is_certificate_refused);
        EXPECT_EQ(said.exchanges, 1u);
        EXPECT_THAT(said.detail, HasSubstr("refuses the certificate of " + std::string{cnpj}));
        EXPECT_THAT(said.detail, HasSubstr("replace `certificado`"));
    }
    EXPECT_TRUE(receiver.received().empty());
    write("loja.pem", shop().certificate_pem + shop().key_pem);
    const Said said = authority.consult(subject(), ample, {});
    EXPECT_EQ(said.word, Word::absent) << said.detail;
    EXPECT_FALSE(said.is_certificate_refused);

    write("loja.pem", "");
    const Said missing = authority_at(receiver).consult(subject(), ample, {});
    EXPECT_EQ(missing.word, Word::unreached);
    EXPECT_TRUE(missing.is_certificate_refused);
    EXPECT_EQ(missing.exchanges, 0u);
}

TEST_F(SefazAuthorityTest, AnAuthorityThatIsNotBelievedDoesNotRefuseOurs)
{
    test::ReceiverTls tls = demanding();
    const test::Issued theirs = test::TestAuthority{"Stranger"}.issue({.common_name = "localhost"});
    tls.certificate = theirs.certificate_pem;
    tls.key = theirs.key_pem;
    HttpReceiver receiver{follow({}), tls};
    const Said said = authority_at(receiver).emit(subject(), ample, {});
    EXPECT_EQ(said.word, Word::unreached);
    EXPECT_FALSE(said.is_certificate_refused);
    EXPECT_THAT(said.detail, HasSubstr("see whether ca_file of [[fiscal.sefaz]] has its CA"));
}

TEST_F(SefazAuthorityTest, StatusOfTheService)
{
    HttpReceiver receiver{
        follow({{Service::status_servico, always(ret("retConsStatServ", "107"))}}), demanding()
    };
    const SefazAuthority authority = authority_at(receiver);
    const SefazAuthority::StatusQuestion question{
        .lugar = "35", .uf = "35", .emitente = std::string{cnpj}
    };
    EXPECT_TRUE(authority.status(question, ample, {}).is_running);
    EXPECT_THAT(receiver.received().at(0).body, HasSubstr("<cUF>35</cUF><xServ>STATUS</xServ>"));
    SefazAuthority::StatusQuestion elsewhere = question;
    elsewhere.lugar = "SVC-AN";
    EXPECT_FALSE(authority.status(elsewhere, ample, {}).is_running);
}

TEST_F(SefazAuthorityTest, WhatIsMissingIsToldBeforeAnythingIsSent)
{
    HttpReceiver receiver{follow({}), demanding()};
    const auto why_not = [](const SefazAuthority& authority, const Subject& about) {
        EXPECT_EQ(authority.emit(about, ample, {}).word, Word::unreached);
        const auto checked = authority.check(about);
        EXPECT_FALSE(checked);
        return checked ? "" : checked.error().detail;
    };
    Endpoints without = endpoints_at(receiver.url(""));
    without.erase({"35", Tipo::nfe, Ambiente::homologacao, Service::autorizacao});
    EXPECT_THAT(
        why_not(authority_at(without), subject()),
        HasSubstr("the address of NFeAutorizacao4 for nfe in 35, homologacao")
    );
    Subject production = subject();
    production.ambiente = Ambiente::producao;
    EXPECT_THAT(why_not(authority_at(receiver), production), HasSubstr("producao"));
    Subject stranger = subject();
    stranger.emitente = "12ABC34501DE35";
    EXPECT_THAT(why_not(authority_at(receiver), stranger), HasSubstr("[[fiscal.emitente]]"));
    Subject keyless = subject();
    keyless.id_autoridade = "1";
    EXPECT_THAT(why_not(authority_at(receiver), keyless), HasSubstr("the access key"));
    EXPECT_TRUE(receiver.received().empty());
}

}  // namespace
}  // namespace umavez::fiscal::sefaz
