// Answers by hand, in every shape that was seen or is feared.

#include "modules/fiscal/sefaz/answers.hpp"

#include "modules/fiscal/ids/test_csv.hpp"
#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/pista.hpp"
#include "modules/fiscal/sefaz/test_answers.hpp"
#include "modules/fiscal/sefaz/test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

namespace umavez::fiscal::sefaz {
namespace {

using namespace std::chrono_literals;
using namespace test_answers;
using namespace test_documents;
using testing::HasSubstr;

constexpr Instant now{std::chrono::seconds{1'788'350'400}};
constexpr std::string_view recibo = "351000012345678";
constexpr std::string_view other_digest = "AAAAAAAAAAAAAAAAAAAAAAAAAAA=";

class AnswersTest : public testing::Test {
protected:
    Said emission(const std::string& body, int status = 200) const
    {
        return read_emission({.status = status, .body = body}, sent(), now);
    }
    Said receipt_said(const std::string& body, int status = 200) const
    {
        return read_receipt({.status = status, .body = body}, recibo, sent(), now).said;
    }
    Situacao situacao(const std::string& body, int status = 200) const
    {
        return read_situacao({.status = status, .body = body}, sent());
    }
    Said event(const std::string& body, std::string_view kind = evento_cancelamento) const
    {
        return read_event(
            {.status = 200, .body = body},
            {.chave = chave_, .tp_evento = kind, .evento = "<evento xmlns=\"urn:e\"/>"}
        );
    }
    Said voiding(const std::string& body, const std::string& pedido = inut()) const
    {
        return read_voiding({.status = 200, .body = body}, pedido);
    }
    Sent sent() const { return {.chave = chave_, .nfe = nfe_, .dig_val = digest_}; }
    std::string our_prot(ProtWish wish = {}) const
    {
        if (wish.dig_val.empty()) wish.dig_val = digest_;
        return prot(chave_, wish);
    }

    const std::string chave_ = key_of();
    const std::string other_chave_ = key_of({.c_nf = "11112222"});
    const std::string nfe_ = make_nfe(shop());
    const std::string digest_ = find_dig_val(nfe_).value_or("");
    // What proves nothing, whatever was asked.
    const std::vector<std::pair<int, std::string>> nobody_knows_ = {
        {0, ""},
        {200, ""},
        {200, "rubbish"},
        {200, "<html><body>Service Unavailable</body></html>"},
        {200, enveloped("")},
        {200, ret("retOutra", "100")},
        {200, "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>"},
        {500, ret("retEnviNFe", "100")},
        {500, ret("retConsSitNFe", "217")},
        {502, "Bad Gateway"},
        {503, ""},
        {404, ret("retConsSitNFe", "217")},
        {403, "<html>403 - Forbidden: client certificate</html>"},
        {302, ""},
        {200,
         "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body><s:Fault>"
         "<s:Reason><s:Text>timeout</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>"},
    };
};

TEST_F(AnswersTest, NobodyKnowsWhatCannotBeRead)
{
    for (const auto& [status, body] : nobody_knows_) {
        const HttpAnswer answer{.status = status, .body = body};
        EXPECT_EQ(emission(body, status).word, Word::unknown) << body;
        EXPECT_EQ(situacao(body, status).said.word, Word::unknown) << body;
        EXPECT_EQ(read_event(answer, {.chave = chave_}).word, Word::unknown) << body;
        EXPECT_EQ(read_voiding(answer, inut()).word, Word::unknown) << body;
        EXPECT_FALSE(read_status(answer, Ambiente::homologacao).is_running) << body;
        const Said receipt_kept = receipt_said(body, status);
        EXPECT_EQ(receipt_kept.word, Word::unknown) << body;
        EXPECT_EQ(parse_pista(receipt_kept.pista).recibo, recibo) << body;
        EXPECT_EQ(emission(body, status).http_status, status);
        EXPECT_FALSE(emission(body, status).detail.empty());
    }
    EXPECT_EQ(emission("", 429).word, Word::throttled);
    EXPECT_EQ(read_emission({.status = 503, .retry_after = 7s}, sent(), now).wait, 7s);
}

TEST_F(AnswersTest, AnAuthorisationHasItsKeyItsProtocolAndOurDigest)
{
    for (const char* const code : {"100", "150"}) {
        const Said said = emission(ret("retEnviNFe", "104", our_prot({.code = code})));
        EXPECT_EQ(said.word, Word::authorised) << said.detail;
        EXPECT_EQ(said.chave, chave_);
        EXPECT_EQ(said.protocolo, "135260000000123");
        EXPECT_EQ(said.is_ours, true);
        EXPECT_EQ(said.mensagens.at(0).codigo, code);
        EXPECT_EQ(said.pista, "");
    }
    const Said other =
        emission(ret("retEnviNFe", "104", our_prot({.dig_val = std::string{other_digest}})));
    EXPECT_EQ(other.word, Word::authorised);
    EXPECT_EQ(other.is_ours, false);
    EXPECT_THAT(other.xml, testing::Not(HasSubstr("<NFe")));
    const Said untold = emission(ret("retEnviNFe", "104", prot(chave_)));
    EXPECT_EQ(untold.word, Word::authorised);
    EXPECT_EQ(untold.is_ours, std::nullopt);
}

// The schema lets blanks stand around base64, and some who sign break the line there.
TEST_F(AnswersTest, ADigestIsTheSameWithBlanksAroundIt)
{
    const Said said =
        emission(ret("retEnviNFe", "104", our_prot({.dig_val = "\n  " + digest_ + "\n"})));
    EXPECT_EQ(said.word, Word::authorised);
    EXPECT_EQ(said.is_ours, true);
    std::string broken = nfe_;
    broken.replace(broken.find(digest_), digest_.size(), "\r\n" + digest_ + "\n");
    EXPECT_EQ(find_dig_val(broken).value(), digest_);
}

TEST_F(AnswersTest, DocumentAndProtocolAreKeptTogether)
{
    const Said said = emission(ret("retEnviNFe", "104", our_prot()));
    EXPECT_THAT(said.xml, HasSubstr(std::string{root_text(nfe_)} + "<protNFe xmlns="));
    const auto proc = xml::Document::parse(said.xml);
    ASSERT_TRUE(proc) << proc.error().detail;
    EXPECT_EQ(proc->root().name(), "nfeProc");
    EXPECT_EQ(proc->root().find_text("protNFe/infProt/nProt"), "135260000000123");
    const auto inf = proc->root().find("NFe/infNFe");
    ASSERT_TRUE(inf);
    EXPECT_TRUE(check_signature(*proc, *inf));
}

TEST_F(AnswersTest, TheCodeOfABatchDecidesNothing)
{
    const std::pair<std::string, Word> cases[] = {
        {ret("retEnviNFe", "104"), Word::unknown},
        {ret("retEnviNFe", "100"), Word::unknown},
        {ret("retEnviNFe", "104", our_prot({.n_prot = ""})), Word::unknown},
        {ret("retEnviNFe", "104", our_prot({.n_prot = "12a"})), Word::unknown},
        {ret("retEnviNFe", "104", prot(other_chave_)), Word::unknown},
        {ret("retEnviNFe", "104", our_prot({.tp_amb = "1"})), Word::unknown},
        {ret("retEnviNFe", "104", our_prot() + our_prot()), Word::unknown},
        {ret("retEnviNFe", "104", "<protNFe/>"), Word::unknown},
        {ret("retEnviNFe", "100", our_prot({.code = "539"})), Word::exists},
        {ret("retEnviNFe", "225", our_prot()), Word::authorised},
        {ret("retEnviNFe", "104", our_prot({.code = "104"})), Word::unknown},
        {ret("retEnviNFe", "104", our_prot({.code = ""})), Word::unknown},
        {ret("retEnviNFe", "104", our_prot({.code = "204"})), Word::exists},
        {ret("retEnviNFe", "104", our_prot({.code = "225", .n_prot = ""})), Word::refused},
        {ret("retEnviNFe", "104", our_prot({.code = "302", .n_prot = ""})), Word::refused},
        {ret("retEnviNFe", "104", our_prot({.code = "302"})), Word::denied},
        {ret("retEnviNFe", "104", our_prot({.code = "110"})), Word::denied},
        {ret("retEnviNFe", "104", our_prot({.code = "206", .n_prot = ""})), Word::denied},
        {ret("retEnviNFe", "225"), Word::refused},
        {ret("retEnviNFe", "452"), Word::refused},
        {ret("retEnviNFe", "108"), Word::later},
        {ret("retEnviNFe", "656"), Word::throttled},
        {ret("retEnviNFe", "999"), Word::unknown},
        {ret("retEnviNFe", "217"), Word::unknown},
        {ret("retEnviNFe", ""), Word::unknown},
    };
    for (const auto& [body, word] : cases) {
        const Said said = emission(body);
        EXPECT_EQ(to_text(said.word), to_text(word)) << body << said.detail;
    }
    // An envelope tells nobody anything: that is no code of a refusal.
    EXPECT_TRUE(emission(ret("retEnviNFe", "104")).mensagens.empty());
    EXPECT_EQ(emission(ret("retEnviNFe", "656")).wait, 1h);
    std::string production = ret("retEnviNFe", "104", our_prot());
    production.replace(production.find("<tpAmb>2"), 8, "<tpAmb>1");
    EXPECT_EQ(emission(production).word, Word::unknown);
}

TEST_F(AnswersTest, OfTheCertificateOfWhoSends)
{
    for (const char* const code : {"280", "281", "284", "285"}) {
        const Said said = emission(ret("retEnviNFe", code));
        EXPECT_EQ(said.word, Word::refused) << code;
        EXPECT_TRUE(said.is_certificate_refused) << code;
    }
    EXPECT_FALSE(emission(ret("retEnviNFe", "286")).is_certificate_refused);
    EXPECT_EQ(emission(ret("retEnviNFe", "286")).word, Word::later);
    EXPECT_FALSE(emission(ret("retEnviNFe", "225")).is_certificate_refused);
}

TEST_F(AnswersTest, AReceiptIsAClueAndItsFirstQuestionHasTime)
{
    const Said said = emission(ret("retEnviNFe", "103", receipt(recibo)));
    EXPECT_EQ(said.word, Word::exists);
    EXPECT_GE(said.wait, Duration{15s});
    EXPECT_EQ(said.pista, "recibo:351000012345678:1788350415");
    // Where the authority takes longer, it is left alone for longer, within reason.
    const Said slow = emission(ret("retEnviNFe", "103", receipt(recibo, "60")));
    EXPECT_EQ(slow.wait, 60s);
    EXPECT_EQ(parse_pista(slow.pista).recibo_from, now + 60s);
    EXPECT_EQ(emission(ret("retEnviNFe", "103", receipt(recibo, "99999999"))).wait, 5min);
    // 103 inside of 104, with a receipt and without.
    const std::string inner = our_prot({.code = "103", .n_prot = ""});
    EXPECT_EQ(emission(ret("retEnviNFe", "104", inner)).word, Word::exists);
    EXPECT_EQ(emission(ret("retEnviNFe", "104", inner)).pista, "");
    EXPECT_EQ(
        parse_pista(emission(ret("retEnviNFe", "104", inner + receipt(recibo))).pista).recibo,
        recibo
    );
    EXPECT_EQ(emission(ret("retEnviNFe", "103")).word, Word::exists);
    EXPECT_EQ(emission(ret("retEnviNFe", "103", receipt("12x"))).pista, "");
    EXPECT_EQ(
        emission(ret("retEnviNFe", "104", our_prot({.code = "105", .n_prot = ""}))).word,
        Word::exists
    );
}

TEST_F(AnswersTest, WhatAReceiptLedTo)
{
    const Said pending = receipt_said(ret("retConsReciNFe", "105"));
    EXPECT_EQ(pending.word, Word::unknown);
    EXPECT_EQ(pending.wait, 15s);
    EXPECT_EQ(parse_pista(pending.pista).recibo, recibo);
    EXPECT_EQ(parse_pista(pending.pista).recibo_from, now + 15s);
    EXPECT_TRUE(pending.mensagens.empty());
    Sent hasty = sent();
    hasty.receipt_pause = 200ms;
    const std::string in_process = ret("retConsReciNFe", "105");
    const HttpAnswer still{.status = 200, .body = in_process};
    const Said soon = read_receipt(still, recibo, hasty, now).said;
    EXPECT_EQ(soon.wait, 200ms);

    const Said done = receipt_said(
        ret("retConsReciNFe",
            "104",
            fmt::format("<nRec>{}</nRec>", recibo) + prot(other_chave_) + our_prot())
    );
    EXPECT_EQ(done.word, Word::authorised) << done.detail;
    EXPECT_EQ(done.is_ours, true);
    EXPECT_EQ(done.pista, "");

    const std::pair<std::string, Word> by_key[] = {
        {ret("retConsReciNFe", "106"), Word::unknown},
        {ret("retConsReciNFe", "104"), Word::unknown},
        {ret("retConsReciNFe", "100"), Word::unknown},
        {ret("retConsReciNFe", "104", prot(other_chave_)), Word::unknown},
        {ret("retConsReciNFe", "104", our_prot({.code = "204"})), Word::exists},
    };
    for (const auto& [body, word] : by_key) {
        EXPECT_EQ(to_text(receipt_said(body).word), to_text(word)) << body;
        EXPECT_EQ(receipt_said(body).pista, "") << body;
    }
    // Of the question: the batch is still under way.
    for (const char* const code : {"223", "248", "215", "999"}) {
        const std::string body = ret("retConsReciNFe", code);
        const Recibo open = read_receipt({.status = 200, .body = body}, recibo, sent(), now);
        EXPECT_EQ(to_text(open.said.word), to_text(Word::unknown)) << code;
        EXPECT_EQ(parse_pista(open.said.pista).recibo, recibo) << code;
        EXPECT_FALSE(open.is_usable) << code;
    }
    const Said refused =
        receipt_said(ret("retConsReciNFe", "104", our_prot({.code = "703", .n_prot = ""})));
    EXPECT_EQ(refused.word, Word::refused);
    EXPECT_EQ(refused.mensagens.at(0).codigo, "703");
    for (const std::string& body :
         {ret("retConsReciNFe", "108"),
          ret("retConsReciNFe", "656"),
          ret("retConsReciNFe", "104", our_prot({.code = "103", .n_prot = ""})),
          ret("retConsReciNFe", "104", "<nRec>999</nRec>" + our_prot())}) {
        EXPECT_EQ(parse_pista(receipt_said(body).pista).recibo, recibo) << body;
        EXPECT_NE(receipt_said(body).word, Word::authorised);
    }
    EXPECT_EQ(receipt_said(ret("retConsReciNFe", "656")).wait, 1h);
}

TEST_F(AnswersTest, AKeyInTheTextIsThatOfTheNumber)
{
    const auto pista_of = [&](const std::string& motivo) {
        return emission(ret("retEnviNFe",
                            "104",
                            our_prot({.code = "539", .n_prot = "", .motivo = motivo})))
            .pista;
    };
    EXPECT_EQ(
        pista_of("Duplicidade com diferenca na Chave de Acesso [chNFe:" + other_chave_ + "]"),
        "chave:" + other_chave_
    );
    EXPECT_EQ(pista_of("[chNFe: " + other_chave_ + "][nRec:1]"), "chave:" + other_chave_);
    EXPECT_EQ(pista_of("[chNFe:" + chave_ + "]"), "");
    EXPECT_EQ(pista_of("sem chave"), "");
    EXPECT_EQ(pista_of("[chNFe:" + key_of({.numero = "31"}) + "]"), "");
    EXPECT_EQ(pista_of("[chNFe:" + std::string(44, '9') + "]"), "");
    EXPECT_EQ(pista_of("[chNFe:1" + other_chave_ + "]"), "");
    const Said outer =
        emission(ret("retEnviNFe", "539", "", "Duplicidade [chNFe:" + other_chave_ + "]"));
    EXPECT_EQ(outer.word, Word::exists);
    EXPECT_EQ(outer.pista, "chave:" + other_chave_);
}

TEST_F(AnswersTest, Situations)
{
    const std::string cancel = proc_evento(chave_);
    const std::string substitution = proc_evento(chave_, "110112");
    const std::string correction = proc_evento(chave_, "110110");
    const std::string unlinked = proc_evento(chave_, "110111", "136");
    const std::string refused_event = proc_evento(chave_, "110111", "501");
    const std::string of_another = proc_evento(other_chave_);
    const std::pair<std::string, Word> cases[] = {
        {ret("retConsSitNFe", "100", our_prot()), Word::authorised},
        {ret("retConsSitNFe", "150", our_prot({.code = "150"})), Word::authorised},
        {ret("retConsSitNFe", "100", our_prot() + correction), Word::authorised},
        {ret("retConsSitNFe", "100", our_prot() + refused_event), Word::authorised},
        {ret("retConsSitNFe", "100", our_prot() + of_another), Word::authorised},
        {ret("retConsSitNFe", "100"), Word::unknown},
        {ret("retConsSitNFe", "100", prot(other_chave_)), Word::unknown},
        {ret("retConsSitNFe", "100", our_prot() + our_prot()), Word::unknown},
        {ret("retConsSitNFe", "100", our_prot({.n_prot = ""})), Word::unknown},
        {ret("retConsSitNFe", "100", our_prot({.code = "302"})), Word::unknown},
        {ret("retConsSitNFe", "100", our_prot() + unlinked), Word::unknown},
        {ret("retConsSitNFe", "100", our_prot() + cancel), Word::cancelled},
        {ret("retConsSitNFe", "100", our_prot() + unlinked + cancel), Word::cancelled},
        {ret("retConsSitNFe", "101", our_prot() + correction + cancel), Word::cancelled},
        {ret("retConsSitNFe", "151", our_prot() + proc_evento(chave_, "110111", "155")),
         Word::cancelled},
        {ret("retConsSitNFe", "101", our_prot() + substitution), Word::substituted},
        {ret("retConsSitNFe", "101"), Word::cancelled},
        {ret("retConsSitNFe", "110", our_prot({.code = "110"})), Word::denied},
        {ret("retConsSitNFe", "205"), Word::denied},
        {ret("retConsSitNFe", "302", our_prot({.code = "302"})), Word::denied},
        {ret("retConsSitNFe", "302"), Word::unknown},
        {ret("retConsSitNFe", "206"), Word::unknown},
        {ret("retConsSitNFe", "217"), Word::absent},
        {ret("retConsSitNFe", "217", our_prot()), Word::unknown},
        {ret("retConsSitNFe", "217", cancel), Word::unknown},
        {ret("retConsSitNFe", "526"), Word::unknown},
        {ret("retConsSitNFe", "124"), Word::unknown},
        {ret("retConsSitNFe", "135"), Word::unknown},
        {ret("retConsSitNFe", "226"), Word::unknown},
        {ret("retConsSitNFe", "494"), Word::unknown},
        {ret("retConsSitNFe", "108"), Word::later},
        {ret("retConsSitNFe", "656"), Word::throttled},
        {ret("retConsSitNFe", "562"), Word::exists},
        {ret("retConsSitNFe", "217", "<chNFe>" + other_chave_ + "</chNFe>"), Word::unknown},
        {ret("retConsSitNFe", "100", "<chNFe>" + chave_ + "</chNFe>" + our_prot()), Word::authorised
        },
    };
    for (const auto& [body, word] : cases) {
        const Said said = situacao(body).said;
        EXPECT_EQ(to_text(said.word), to_text(word)) << body << said.detail;
        if (word == Word::authorised) {
            EXPECT_EQ(said.is_ours, true);
            EXPECT_THAT(said.xml, HasSubstr("<nfeProc"));
        }
    }
    EXPECT_TRUE(situacao(ret("retConsSitNFe", "217")).said.mensagens.empty());
}

TEST_F(AnswersTest, ACancellationThatWasFoundHasItsEvent)
{
    const Said said = situacao(ret("retConsSitNFe", "101", our_prot() + proc_evento(chave_))).said;
    EXPECT_EQ(said.chave, chave_);
    EXPECT_EQ(said.protocolo, "135260000000999");
    EXPECT_EQ(said.is_ours, true);
    EXPECT_THAT(said.xml, HasSubstr("<procEventoNFe xmlns="));
    const Said of_old =
        situacao(
            ret("retConsSitNFe",
                "101",
                "<retCancNFe "
                "versao=\"2.00\"><infCanc><nProt>135110000000001</nProt></infCanc></retCancNFe>")
        )
            .said;
    EXPECT_EQ(of_old.word, Word::cancelled);
    EXPECT_EQ(of_old.protocolo, "135110000000001");
}

TEST_F(AnswersTest, ANumberUnderAnotherKeyNamesIt)
{
    for (const char* const code : {"561", "562", "613"}) {
        const Situacao found =
            situacao(ret("retConsSitNFe", code, "", "difere [chNFe: " + other_chave_ + "]"));
        EXPECT_EQ(found.said.word, Word::exists) << code;
        EXPECT_EQ(found.outra_chave, other_chave_) << code;
        EXPECT_EQ(situacao(ret("retConsSitNFe", code)).outra_chave, "");
    }
}

TEST_F(AnswersTest, Events)
{
    const std::pair<std::string, Word> cases[] = {
        {ret("retEnvEvento", "128", ret_evento(chave_, "135")), Word::cancelled},
        {ret("retEnvEvento", "128", ret_evento(chave_, "155")), Word::cancelled},
        {ret("retEnvEvento", "128", ret_evento(chave_, "136")), Word::exists},
        {ret("retEnvEvento", "128", ret_evento(chave_, "573")), Word::exists},
        {ret("retEnvEvento", "128", ret_evento(chave_, "580")), Word::exists},
        {ret("retEnvEvento", "128", ret_evento(chave_, "420")), Word::exists},
        {ret("retEnvEvento", "128", ret_evento(chave_, "501", "110111", "")), Word::refused},
        {ret("retEnvEvento", "128", ret_evento(chave_, "222", "110111", "")), Word::refused},
        {ret("retEnvEvento", "128", ret_evento(chave_, "494", "110111", "")), Word::absent},
        {ret("retEnvEvento", "128"), Word::unknown},
        {ret("retEnvEvento", "135"), Word::unknown},
        {ret("retEnvEvento", "128", ret_evento(chave_, "135", "110111", "")), Word::unknown},
        {ret("retEnvEvento", "128", ret_evento(other_chave_, "135")), Word::unknown},
        {ret("retEnvEvento", "128", ret_evento(chave_, "135", "110110")), Word::unknown},
        {ret("retEnvEvento", "128", ret_evento(chave_, "135") + ret_evento(chave_, "501")),
         Word::unknown},
        {ret("retEnvEvento", "128", ret_evento(chave_, "100")), Word::unknown},
        {ret("retEnvEvento", "135", ret_evento(chave_, "501")), Word::refused},
        {ret("retEnvEvento", "215"), Word::refused},
        {ret("retEnvEvento", "656"), Word::throttled},
        {ret("retEnvEvento", "109"), Word::later},
    };
    for (const auto& [body, word] : cases) {
        EXPECT_EQ(to_text(event(body).word), to_text(word)) << body << event(body).detail;
    }
    const Said said = event(ret("retEnvEvento", "128", ret_evento(chave_, "135")));
    EXPECT_EQ(said.chave, chave_);
    EXPECT_EQ(said.protocolo, "135260000000999");
    EXPECT_THAT(said.xml, HasSubstr("<evento xmlns=\"urn:e\"/><retEvento xmlns="));
    EXPECT_TRUE(xml::Document::parse(said.xml));
    const std::string body =
        ret("retEnvEvento", "128", ret_evento(chave_, "135", evento_substituicao));
    EXPECT_EQ(event(body, evento_substituicao).word, Word::substituted);
    EXPECT_EQ(event(body).word, Word::unknown);
}

TEST_F(AnswersTest, Voidings)
{
    const std::pair<std::string, Word> cases[] = {
        {ret_inut("102"), Word::voided},
        {ret_inut("102", ""), Word::unknown},
        {ret_inut("563"), Word::voided},
        {ret_inut("563", ""), Word::voided},
        {ret_inut("241", ""), Word::exists},
        {ret_inut("256", ""), Word::exists},
        {ret_inut("206", ""), Word::exists},
        {ret_inut("201", ""), Word::refused},
        {ret_inut("215", ""), Word::refused},
        {ret_inut("656", ""), Word::throttled},
        {ret_inut("108", ""), Word::later},
        {ret_inut("999", ""), Word::unknown},
        {ret_inut("102", "1", "35"), Word::unknown},
        {ret_inut("100"), Word::unknown},
        {ret("retInutNFe", "102"), Word::unknown},
    };
    for (const auto& [body, word] : cases) {
        EXPECT_EQ(to_text(voiding(body).word), to_text(word)) << body << voiding(body).detail;
    }
    EXPECT_EQ(voiding(ret_inut("102")).protocolo, "135260000000777");
    EXPECT_THAT(voiding(ret_inut("102")).xml, HasSubstr("</inutNFe><retInutNFe xmlns="));
    // The lost answer of the first request.
    EXPECT_EQ(voiding(ret_inut("563", "135260000000111")).protocolo, "135260000000111");
}

// What was asked is what the request says: also of another year than that in which its row was made.
TEST_F(AnswersTest, AVoidingIsComparedWithItsRequest)
{
    EXPECT_EQ(voiding(ret_inut("102"), inut("34", "26")).word, Word::voided);
    EXPECT_EQ(voiding(ret_inut("102"), inut("34", "27")).word, Word::unknown);
    EXPECT_EQ(voiding(ret_inut("102"), inut("33")).word, Word::unknown);
    for (const std::string wrong : {"", "<inutNFe/>", "rubbish"}) {
        EXPECT_EQ(voiding(ret_inut("102"), wrong).word, Word::unknown) << wrong;
    }
}

TEST_F(AnswersTest, OneNumberThatWasVoidedBeforeIsVoided)
{
    for (const std::string code : {"206", "256"}) {
        const Said said = voiding(ret_inut(code, "", "31"), inut("31"));
        EXPECT_EQ(to_text(said.word), to_text(Word::voided)) << said.detail;
        ASSERT_EQ(said.mensagens.size(), 1u);
        EXPECT_EQ(said.mensagens.front().codigo, code);
        EXPECT_EQ(said.xml, "") << "a refusal is not kept as a registration";
        EXPECT_EQ(voiding(ret_inut(code, "")).word, Word::exists);
    }
    EXPECT_EQ(voiding(ret_inut("241", "", "31"), inut("31")).word, Word::exists);
}

TEST_F(AnswersTest, TheStateOfTheService)
{
    const auto status = [](const std::string& body) {
        return read_status({.status = 200, .body = body}, Ambiente::homologacao);
    };
    EXPECT_TRUE(status(ret("retConsStatServ", "107")).is_running);
    EXPECT_FALSE(status(ret("retConsStatServ", "108")).is_running);
    EXPECT_EQ(status(ret("retConsStatServ", "108")).said.word, Word::later);
    EXPECT_EQ(status(ret("retConsStatServ", "109")).said.wait, 10min);
    EXPECT_EQ(status(ret("retConsStatServ", "656")).said.word, Word::throttled);
    EXPECT_FALSE(
        read_status({.status = 200, .body = ret("retConsStatServ", "107")}, Ambiente::producao)
            .is_running
    );
}

TEST_F(AnswersTest, OfEndlessMessagesOnlyTheBeginningIsKept)
{
    std::string words;
    for (int i = 0; i < 10'000; ++i) words += "ç";
    const Said said = emission(ret("retEnviNFe", "225", "", words));
    EXPECT_EQ(said.word, Word::refused);
    EXPECT_EQ(said.mensagens.at(0).descricao, words.substr(0, 500 * 2));
    EXPECT_LT(said.detail.size(), 400u);
}

// Every code of the collected vectors, as the answer to every call that it is listed for, ends as its row in
// the table of codes does; but for what an answer needs beside its code.
TEST_F(AnswersTest, EveryRowOfTheVectorsLeadsToItsAction)
{
    const auto rows = read_vectors("cstat.csv");
    if (rows.empty()) GTEST_SKIP() << "the shared vectors are not here";
    const auto emitted = [&](const std::string& code) {
        return emission(
            ret("retEnviNFe", "104", our_prot({.code = code, .n_prot = code[0] == '1' ? "1" : ""}))
        );
    };
    const auto consulted = [&](const std::string& code) {
        const bool is_there = code == "100" || code == "150";
        return situacao(ret("retConsSitNFe", code, is_there ? our_prot({.code = code}) : "")).said;
    };
    const auto cancelled = [&](const std::string& code) {
        return event(ret("retEnvEvento", "128", ret_evento(chave_, code)));
    };
    const auto voided = [&](const std::string& code) { return voiding(ret_inut(code)); };
    const std::map<std::string, std::pair<Call, std::function<Said(const std::string&)>>> services =
        {
            {"authorise", {Call::emit, emitted}},
            {"consult", {Call::consult, consulted}},
            {"cancel", {Call::cancel, cancelled}},
            {"event", {Call::cancel, cancelled}},
            {"NFC-e cancel", {Call::cancel, cancelled}},
            {"inutilizacao", {Call::void_number, voided}},
        };
    std::size_t seen = 0;
    for (const CsvRow& row : rows) {
        const std::string& code = row.at("cStat");
        for (const auto& [service, how] : services) {
            const bool is_listed =
                row.at("service") == "any" ||
                (", " + row.at("service")).find(", " + service) != std::string::npos;
            if (!is_listed) continue;
            ++seen;
            const Said said = how.second(code);
            const CodeMeaning meaning = cstat_meaning(code, how.first);
            EXPECT_EQ(to_text(said.word), to_text(meaning.word))
                << code << ' ' << service << said.detail;
            if (meaning.wait) {
                EXPECT_GE(said.wait, meaning.wait) << code;
            }
            const bool is_absence = said.word == Word::absent;
            EXPECT_EQ(is_absence, code == "217" || code == "494") << code;
        }
    }
    EXPECT_GE(seen, 96u);
}

TEST(PistaTest, IsReadBack)
{
    const Pista receipt_clue{.recibo = "35", .recibo_from = now + 1ms};
    EXPECT_EQ(to_text(receipt_clue), "recibo:35:1788350401");
    EXPECT_EQ(parse_pista(to_text(receipt_clue)).recibo_from, now + 1s);
    EXPECT_EQ(parse_pista("chave:" + key_of()).outra_chave, key_of());
    EXPECT_EQ(to_text(Pista{}), "");
    for (const char* const text :
         {"",
          "recibo",
          "recibo:",
          "recibo:1",
          "recibo:1:",
          "recibo::1",
          "recibo:x:1",
          "recibo:1:x",
          "recibo:1:111111111111",
          "recibo:111111111111111111111:1",
          "chave:",
          "chave:1",
          "outra"}) {
        EXPECT_EQ(to_text(parse_pista(text)), "") << text;
    }
}

}  // namespace
}  // namespace umavez::fiscal::sefaz
