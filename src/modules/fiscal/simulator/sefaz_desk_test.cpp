// SEFAZ without sockets and files: a request in, an answer and lines of the ledger out; with its faults.

#include "modules/fiscal/simulator/sefaz_desk.hpp"

#include "base/digest.hpp"
#include "modules/fiscal/simulator/sefaz_test_documents.hpp"
#include "support/certificates.hpp"
#include "xml/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace umavez::fiscal::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Instant t0 = from_micros(1'795'000'000'000'000);
const std::string issuer = "00574753000100";

class Sefaz : public testing::Test {
protected:
    std::string ask(const http::Request& request, std::optional<Fault> fault = {})
    {
        auto asked = read_call(request, issuer);
        EXPECT_TRUE(asked.has_value());
        if (const Batch* const batch = book_.find_batch_by_recibo(asked->recibo))
            asked->documento = batch->received.documento;
        book_.apply(RequestSeen{
            .at = t0,
            .number = ++turn_,
            .service = asked->service,
            .call = asked->call,
            .documento = asked->documento,
        });
        Judgement judgement = desk_.judge(*asked, book_, {.now = t0, .turn = turn_}, fault);
        for (const LedgerEvent& event : judgement.events) book_.apply(event);
        return std::move(judgement.response.body);
    }
    // The cStat of the envelope, and those inside.
    std::vector<std::string> stats(const http::Request& request, std::optional<Fault> fault = {})
    {
        return texts_of(ask(request, fault), "cStat");
    }
    std::string protocol_of(const TestNfe& nfe)
    {
        return book_.find_by_chave(nfe.chave())->authorised.protocolo;
    }
    TestEvento cancellation(const TestNfe& nfe)
    {
        return {.chave = nfe.chave(), .protocolo = protocol_of(nfe)};
    }

    SefazDesk desk_{"2"};
    Book book_;
    std::uint64_t turn_ = 0;
};

TEST_F(Sefaz, AuthorisesANoteAndKeepsItsBytes)
{
    const TestNfe nfe;

    const std::string body = ask(post_nfe(nfe));

    EXPECT_THAT(texts_of(body, "cStat"), ElementsAre("104", "100"));
    EXPECT_EQ(text_of(body, "chNFe"), nfe.chave());
    EXPECT_EQ(text_of(body, "nProt"), "135260000000001");
    EXPECT_THAT(
        body,
        HasSubstr(
            R"(<nfeResultMsg xmlns="http://www.portalfiscal.inf.br/nfe/wsdl/NFeAutorizacao4">)"
            R"(<retEnviNFe versao="4.00" xmlns="http://www.portalfiscal.inf.br/nfe"><tpAmb>2)"
        )
    );
    const Note* const note = book_.find_by_documento("NFe350057475300010055001000000042");
    ASSERT_NE(note, nullptr);
    EXPECT_EQ(note->authorised.xml, nfe.nfe());
    EXPECT_EQ(note->authorised.sha256, to_hex(sha256(nfe.nfe())));
}

TEST_F(Sefaz, KeysOfTheVectorsAreReadAsTheySayTheyAre)
{
    std::ifstream file{UMAVEZ_VECTORS_DIR "/fiscal/access_keys.csv"};
    std::string line;
    std::getline(file, line);
    int read = 0;
    while (std::getline(file, line)) {
        const std::string chave = line.substr(0, line.find(','));
        if (line.substr(chave.size() + 1, 2) == "1,") {
            EXPECT_TRUE(is_chave_nfe(chave) && has_right_check_digit(chave)) << chave;
            ++read;
        }
    }
    EXPECT_GT(read, 100);
}

TEST_F(Sefaz, OneNumberIsAuthorisedOnceWhateverItsKey)
{
    const TestNfe nfe;
    const TestNfe other_cnf{.cnf = "98765432"};
    const TestNfe other_month{.mes = "2612"};
    ask(post_nfe(nfe));

    EXPECT_THAT(stats(post_nfe(nfe)), ElementsAre("104", "204"));
    EXPECT_THAT(stats(post_nfe({.valor = "1.00"})), ElementsAre("104", "204"));
    EXPECT_THAT(stats(post_nfe(other_cnf)), ElementsAre("104", "539"));
    EXPECT_THAT(ask(post_nfe(other_month)), HasSubstr("[chNFe:" + nfe.chave() + "]"));
    EXPECT_THAT(stats(post_nfe({.numero = 43})), ElementsAre("104", "100"));
    EXPECT_THAT(stats(post_nfe({.modelo = "65"})), ElementsAre("104", "100"));
    // The trap: an NFC-e of the same number in contingency is another one.
    EXPECT_THAT(stats(post_nfe({.modelo = "65", .tp_emis = "9"})), ElementsAre("104", "100"));
    EXPECT_THAT(stats(post_nfe({.tp_emis = "9"})), ElementsAre("104", "539"));
}

TEST_F(Sefaz, PersonsAndCompaniesWithLettersAreIssuersToo)
{
    EXPECT_THAT(stats(post_nfe({.inscricao = "01234567897"})), ElementsAre("104", "100"));
    EXPECT_THAT(stats(post_nfe({.inscricao = "12ABC34501DE35"})), ElementsAre("104", "100"));
}

TEST_F(Sefaz, RefusesWhatDoesNotFitTogether)
{
    const TestNfe nfe;
    const auto changed = [&](std::string_view from, std::string_view to) {
        std::string xml = nfe.nfe();
        xml.replace(xml.find(from), from.size(), to);
        return stats(post_nfe_xml(xml));
    };
    const std::string digit = fmt::format("<cDV>{}</cDV>", nfe.chave().back());
    const std::string wrong = digit == "<cDV>0</cDV>" ? "<cDV>1</cDV>" : "<cDV>0</cDV>";

    EXPECT_THAT(stats(post_nfe({.ambiente = "1"})), ElementsAre("104", "252"));
    EXPECT_THAT(changed(digit, wrong), ElementsAre("104", "253"));
    EXPECT_THAT(changed(nfe.chave(), TestNfe{.numero = 43}.chave()), ElementsAre("104", "502"));
    EXPECT_THAT(changed("<nNF>42</nNF>", ""), ElementsAre("225"));
    EXPECT_THAT(stats(post_nfe_xml(nfe.nfe() + TestNfe{.numero = 43}.nfe())), ElementsAre("225"));
    EXPECT_THAT(stats(post_nfe({.sinc = "0"})), ElementsAre("452"));
    EXPECT_EQ(book_.find_by_chave(nfe.chave()), nullptr);
}

TEST_F(Sefaz, EnvelopeOfAnotherKindIsASoapFault)
{
    http::Request plain = post_nfe({});
    plain.headers = {{"Content-Type", "text/xml"}};
    http::Request other_service = post_nfe({});
    other_service.path = "/sefaz/NFeInutilizacao4";
    http::Request old_soap = post_nfe({});
    const std::string space = "http://www.w3.org/2003/05/soap-envelope";
    old_soap.body.replace(
        old_soap.body.find(space), space.size(), "http://schemas.xmlsoap.org/soap/envelope/"
    );

    for (const http::Request& request : {plain, other_service, old_soap}) {
        EXPECT_THAT(ask(request), HasSubstr("<soap:Fault>"));
    }
    http::Request get = post_nfe({});
    get.method = "GET";
    EXPECT_FALSE(read_call(get, issuer).has_value());
    EXPECT_EQ(book_.find_by_chave(TestNfe{}.chave()), nullptr);
}

TEST_F(Sefaz, WrongSignatureIsRefusedAndAGoodOneGivesItsDigest)
{
    const test::Issued key = test::TestAuthority{}.issue({.common_name = "LOJA LTDA"});
    const TestNfe nfe;
    const auto made = xml::sign_enveloped(
        nfe.nfe(),
        "NFe" + nfe.chave(),
        {key.certificate_pem, key.key_pem},
        xml::SignatureAlgorithm::rsa_sha1
    );
    ASSERT_TRUE(made) << made.error().detail;
    const std::string good = made->substr(made->find("<NFe"));
    std::string changed = good;
    changed.replace(changed.find("51.60"), 5, "99.60");

    EXPECT_THAT(stats(post_nfe_xml(changed)), ElementsAre("104", "297"));
    const std::string body = ask(post_nfe_xml(good));
    EXPECT_THAT(texts_of(body, "cStat"), ElementsAre("104", "100"));
    EXPECT_EQ(text_of(body, "digVal"), text_of(good, "DigestValue"));
    EXPECT_THAT(ask(ask_nfe(nfe.chave())), HasSubstr("<digVal>" + text_of(good, "DigestValue")));

    const std::string evento = cancellation(nfe).xml();
    const auto event = xml::sign_enveloped(
        evento,
        "ID110111" + nfe.chave() + "01",
        {key.certificate_pem, key.key_pem},
        xml::SignatureAlgorithm::rsa_sha1
    );
    ASSERT_TRUE(event) << event.error().detail;
    const std::string signed_event = event->substr(event->find("<envEvento"));
    std::string other_event = signed_event;
    other_event.replace(other_event.find("Erro"), 4, "Ato_");
    EXPECT_THAT(stats(soap(Call::cancelar, other_event)), ElementsAre("128", "297"));
    EXPECT_THAT(stats(soap(Call::cancelar, signed_event)), ElementsAre("128", "135"));
}

TEST_F(Sefaz, QueryGoesByTheNumberAndThenComparesTheKey)
{
    const TestNfe nfe;
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("217"));
    ask(post_nfe(nfe));
    std::string wrong_digit = nfe.chave();
    wrong_digit.back() = wrong_digit.back() == '0' ? '1' : '0';

    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("100", "100"));
    EXPECT_THAT(stats(ask_nfe(TestNfe{.cnf = "98765432"}.chave())), ElementsAre("562"));
    EXPECT_THAT(ask(ask_nfe(TestNfe{.mes = "2612"}.chave())), HasSubstr(nfe.chave()));
    EXPECT_THAT(stats(ask_nfe(TestNfe{.mes = "2612"}.chave())), ElementsAre("561"));
    EXPECT_THAT(stats(ask_nfe(TestNfe{.tp_emis = "9"}.chave())), ElementsAre("613"));
    EXPECT_THAT(stats(ask_nfe(wrong_digit)), ElementsAre("236"));
    EXPECT_THAT(stats(ask_nfe(TestNfe{.modelo = "57"}.chave())), ElementsAre("618"));
    EXPECT_THAT(stats(ask_nfe("1")), ElementsAre("215"));
}

TEST_F(Sefaz, RegistersACancellationOnce)
{
    const TestNfe nfe;
    ask(post_nfe(nfe));
    const TestEvento good = cancellation(nfe);

    const std::string body = ask(post_evento(good));

    EXPECT_THAT(texts_of(body, "cStat"), ElementsAre("128", "135"));
    EXPECT_EQ(text_of(body, "nProt"), "135260000000002");
    EXPECT_THAT(stats(post_evento(good)), ElementsAre("128", "573"));
    const std::string found = ask(ask_nfe(nfe.chave()));
    EXPECT_THAT(texts_of(found, "cStat"), ElementsAre("101", "100", "135"));
    EXPECT_THAT(
        found, HasSubstr("<procEventoNFe versao=\"1.00\"><evento versao=\"1.00\"><infEvento")
    );
    EXPECT_THAT(texts_of(found, "nProt"), testing::Contains("135260000000002"));
    EXPECT_THAT(stats(post_nfe(nfe)), ElementsAre("104", "218"));
}

TEST_F(Sefaz, RefusesEventsThatDoNotFit)
{
    const TestNfe nfe;
    ask(post_nfe(nfe));
    const auto with = [&](auto&& change) {
        TestEvento evento = cancellation(nfe);
        change(evento);
        return stats(post_evento(evento));
    };

    EXPECT_THAT(with([](auto& e) { e.protocolo = "135260000000009"; }), ElementsAre("128", "222"));
    EXPECT_THAT(with([](auto& e) { e.sequencia = "2"; }), ElementsAre("128", "594"));
    EXPECT_THAT(with([](auto& e) { e.motivo = "curto"; }), ElementsAre("128", "493"));
    EXPECT_THAT(with([](auto& e) { e.tipo = "110110"; }), ElementsAre("128", "491"));
    EXPECT_THAT(with([](auto& e) { e.autor = "11222333000181"; }), ElementsAre("128", "574"));
    const TestNfe unknown{.numero = 43};
    EXPECT_THAT(with([&](auto& e) { e.chave = unknown.chave(); }), ElementsAre("128", "494"));
    EXPECT_THAT(
        stats(soap(Call::cancelar, R"(<envEvento xmlns="http://www.portalfiscal.inf.br/nfe"/>)")),
        ElementsAre("215")
    );
    EXPECT_FALSE(book_.find_by_chave(nfe.chave())->is_cancelled());
}

TEST_F(Sefaz, NfceIsCancelledBySubstitution)
{
    const TestNfe pending{.numero = 1, .modelo = "65"};
    const TestNfe offline{.numero = 2, .modelo = "65", .tp_emis = "9"};
    ask(post_nfe(pending));
    TestEvento evento = cancellation(pending);
    evento.tipo = "110112";
    evento.substituta = offline.chave();

    EXPECT_THAT(stats(post_evento(evento)), ElementsAre("128", "912"));
    ask(post_nfe(offline));
    EXPECT_THAT(stats(post_evento(evento)), ElementsAre("128", "135"));

    EXPECT_TRUE(book_.find_by_chave(pending.chave())->is_substituted());
    EXPECT_THAT(stats(ask_nfe(pending.chave())), ElementsAre("101", "100", "135"));
    EXPECT_THAT(stats(post_evento(cancellation(pending))), ElementsAre("128", "580"));
}

TEST_F(Sefaz, VoidsARangeOnce)
{
    ask(post_nfe({.numero = 20}));

    const std::string body = ask(void_numbers(10, 12));

    EXPECT_THAT(texts_of(body, "cStat"), ElementsAre("102"));
    EXPECT_EQ(text_of(body, "nProt"), "135260000000002");
    const std::string again = ask(void_numbers(10, 12));
    EXPECT_THAT(texts_of(again, "cStat"), ElementsAre("563"));
    EXPECT_EQ(text_of(again, "nProt"), "135260000000002");
    EXPECT_THAT(stats(void_numbers(12, 13)), ElementsAre("256"));
    EXPECT_THAT(stats(void_numbers(10, 12, "27")), ElementsAre("256"));
    EXPECT_THAT(stats(void_numbers(19, 21)), ElementsAre("241"));
    EXPECT_THAT(stats(void_numbers(3, 2)), ElementsAre("224"));
    EXPECT_THAT(stats(void_numbers(100, 10'100)), ElementsAre("201"));
    EXPECT_THAT(stats(post_nfe({.numero = 11})), ElementsAre("104", "206"));
    EXPECT_THAT(stats(post_nfe({.numero = 13})), ElementsAre("104", "100"));
    EXPECT_THAT(stats(ask_nfe(TestNfe{.numero = 11}.chave())), ElementsAre("217"));
}

TEST_F(Sefaz, TellsItsStatus)
{
    EXPECT_THAT(stats(ask_status()), ElementsAre("107"));
    EXPECT_THAT(stats(ask_status(), Fault::maintenance), ElementsAre("108"));
    EXPECT_THAT(stats(ask_status(), Fault::no_forecast), ElementsAre("109"));
}

TEST_F(Sefaz, BatchIsJudgedAtTheThirdQuestion)
{
    const TestNfe nfe;
    const std::string taken = ask(post_nfe(nfe), Fault::receipt);
    const std::string recibo = text_of(taken, "nRec");

    EXPECT_THAT(texts_of(taken, "cStat"), ElementsAre("103"));
    EXPECT_EQ(recibo.size(), 15U);
    EXPECT_THAT(stats(post_nfe(nfe)), ElementsAre("104", "635"));
    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("105"));
    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("105"));
    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("104", "100"));
    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("104", "100"));
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("100", "100"));
    EXPECT_THAT(stats(ask_recibo("350000000000999")), ElementsAre("106"));
}

TEST_F(Sefaz, BatchIsFoundByTheKeyOfItsNoteToo)
{
    const TestNfe nfe;
    ask(post_nfe(nfe), Fault::receipt);

    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("217"));
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("217"));
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("100", "100"));
}

TEST_F(Sefaz, NumberThatIsVoidedWhileItsBatchWaitsRefusesTheNote)
{
    const std::string recibo = text_of(ask(post_nfe({}), Fault::receipt), "nRec");
    EXPECT_THAT(stats(void_numbers(42, 42)), ElementsAre("102"));
    ask(ask_recibo(recibo));
    ask(ask_recibo(recibo));

    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("104", "206"));
    EXPECT_EQ(book_.find_by_chave(TestNfe{}.chave()), nullptr);
}

TEST_F(Sefaz, FaultsThatHideAnAuthorisation)
{
    const std::vector<std::pair<Fault, std::vector<std::string>>> expected{
        {Fault::duplicate, {"104", "204"}},
        {Fault::receipt_lost, {"103"}},
        {Fault::no_protocol, {"104"}},
        {Fault::inner_103, {"104", "103"}},
    };
    int number = 0;
    for (const auto& [fault, told] : expected) {
        const TestNfe nfe{.numero = ++number};

        const std::string body = ask(post_nfe(nfe), fault);

        EXPECT_EQ(texts_of(body, "cStat"), told) << to_text(fault);
        EXPECT_THAT(texts_of(body, "nProt"), IsEmpty()) << to_text(fault);
        EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("100", "100")) << to_text(fault);
        const std::string recibo = text_of(body, "nRec");
        if (!recibo.empty()) {
            EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("106"));
        }
    }
}

TEST_F(Sefaz, OtherKeyIsSomebodyElsesNote)
{
    const TestNfe nfe;

    const std::string body = ask(post_nfe(nfe), Fault::other_key);

    EXPECT_THAT(texts_of(body, "cStat"), ElementsAre("104", "539"));
    const Note* const stored = book_.find_by_documento("NFe350057475300010055001000000042");
    ASSERT_NE(stored, nullptr);
    const std::string other = stored->authorised.chave;
    EXPECT_NE(other, nfe.chave());
    EXPECT_TRUE(has_right_check_digit(other));
    EXPECT_THAT(body, HasSubstr("[chNFe:" + other + "]"));
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("562"));
    EXPECT_THAT(stats(ask_nfe(other)), ElementsAre("100", "100"));
}

TEST_F(Sefaz, FaultsThatRefuse)
{
    const TestNfe nfe;
    const TestNfe nfce{.modelo = "65"};
    EXPECT_THAT(stats(post_nfe(nfe), Fault::refuse), ElementsAre("104", "781"));
    EXPECT_THAT(stats(post_nfe(nfe), Fault::too_old), ElementsAre("104", "228"));
    EXPECT_THAT(stats(post_nfe(nfce), Fault::too_old), ElementsAre("104", "704"));
    EXPECT_THAT(stats(post_nfe(nfe), Fault::throttle), ElementsAre("656"));
    EXPECT_THAT(stats(post_nfe(nfe), Fault::maintenance), ElementsAre("108"));
    EXPECT_THAT(stats(void_numbers(1, 1), Fault::refuse), ElementsAre("201"));
    EXPECT_EQ(book_.find_by_chave(nfe.chave()), nullptr);
    ask(post_nfe(nfe));
    EXPECT_THAT(stats(ask_nfe(nfe.chave()), Fault::too_old), ElementsAre("526"));
    EXPECT_THAT(stats(post_evento(cancellation(nfe)), Fault::refuse), ElementsAre("128", "501"));
    EXPECT_FALSE(book_.find_by_chave(nfe.chave())->is_cancelled());
}

TEST_F(Sefaz, EventsAndVoidingsAreToldAsIfTheyHadBeenThere)
{
    for (const auto& [fault, told] :
         {std::pair{Fault::event_duplicate, "573"}, {Fault::duplicate, "580"}}) {
        const TestNfe nfe{.numero = 100 + static_cast<int>(fault)};
        ask(post_nfe(nfe));
        EXPECT_THAT(stats(post_evento(cancellation(nfe)), fault), ElementsAre("128", told));
        EXPECT_TRUE(book_.find_by_chave(nfe.chave())->is_cancelled());
    }
    const std::string body = ask(void_numbers(1, 1), Fault::duplicate);
    EXPECT_EQ(text_of(body, "cStat"), "563");
    EXPECT_THAT(text_of(body, "nProt"), Not(IsEmpty()));
}

TEST_F(Sefaz, LateIsASuccessOfItsOwn)
{
    const TestNfe nfe;

    EXPECT_THAT(stats(post_nfe(nfe), Fault::late), ElementsAre("104", "150"));
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("150", "150"));
    EXPECT_THAT(stats(post_evento(cancellation(nfe)), Fault::late), ElementsAre("128", "155"));
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("151", "150", "155"));
}

TEST_F(Sefaz, OddShapesSayTheSame)
{
    const TestNfe nfe;
    const std::string first = ask(post_nfe(nfe), Fault::odd_shapes);
    const std::string second = ask(post_nfe(nfe), Fault::odd_shapes);

    EXPECT_THAT(first, HasSubstr("<S:Envelope"));
    EXPECT_THAT(texts_of(first, "cStat"), ElementsAre("104", "100"));
    EXPECT_THAT(second, HasSubstr("<nfeAutorizacaoLoteResult "));
    EXPECT_THAT(texts_of(second, "cStat"), ElementsAre("104", "204"));
    EXPECT_EQ(text_of(second, "nProt"), protocol_of(nfe));
    EXPECT_TRUE(xml::Document::parse(first) && xml::Document::parse(second));
}

TEST_F(Sefaz, CancelledBehindTheBackIsInTheWay)
{
    const TestNfe nfe;
    ask(post_nfe(nfe));
    book_.apply(desk_.event_behind(nfe.chave(), "", book_, t0));

    EXPECT_THAT(stats(post_evento(cancellation(nfe))), ElementsAre("128", "580"));
    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("101", "100", "135"));
}

}  // namespace
}  // namespace umavez::fiscal::simulator
