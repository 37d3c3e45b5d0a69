// The city of São Paulo without sockets and files: a request in, an answer and lines of the ledger out; with
// its faults, and with its trap for clients that send twice.

#include "modules/fiscal/simulator/sp_desk.hpp"

#include "base/digest.hpp"
#include "modules/fiscal/simulator/sefaz_test_documents.hpp"
#include "modules/fiscal/simulator/sp_test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Instant t0 = from_micros(1'795'000'000'000'000);

class SaoPaulo : public testing::Test {
protected:
    // What RetornoXML says.
    std::string ask(const http::Request& request, std::optional<Fault> fault = {})
    {
        body_ = judge(request, fault).response.body;
        return retorno_of(body_);
    }
    Judgement judge(const http::Request& request, std::optional<Fault> fault = {})
    {
        const auto asked = read_call(request, "00574753000100");
        EXPECT_TRUE(asked.has_value());
        Judgement judgement = desk_.judge(*asked, book_, {.now = t0, .turn = ++turn_}, fault);
        for (const LedgerEvent& event : judgement.events) book_.apply(event);
        return judgement;
    }
    // Whether it worked, and the codes.
    std::vector<std::string> told(const http::Request& request, std::optional<Fault> fault = {})
    {
        const std::string xml = ask(request, fault);
        std::vector<std::string> all = texts_of(xml, "Sucesso");
        for (std::string& code : texts_of(xml, "Codigo")) all.push_back(std::move(code));
        return all;
    }

    SpDesk desk_;
    Book book_;
    std::uint64_t turn_ = 0;
    std::string body_;
};

TEST_F(SaoPaulo, IssuesANoteAndFindsItByItsRps)
{
    const TestRps rps;
    EXPECT_THAT(told(ask_rps(rps)), ElementsAre("false", "1106"));

    const std::string issued = ask(post_rps(rps));

    EXPECT_THAT(
        body_, HasSubstr(R"(<EnvioRPSResponse xmlns="http://www.prefeitura.sp.gov.br/nfe">)")
    );
    EXPECT_THAT(issued, HasSubstr(R"(<Cabecalho Versao="1" xmlns=""><Sucesso>true</Sucesso>)"));
    EXPECT_EQ(text_of(issued, "NumeroNFe"), "1");
    EXPECT_EQ(text_of(issued, "NumeroRPS"), "1");
    EXPECT_THAT(texts_of(issued, "Codigo"), IsEmpty());
    const std::string found = ask(ask_rps(rps));
    EXPECT_THAT(texts_of(found, "StatusNFe"), ElementsAre("N"));
    EXPECT_EQ(text_of(found, "NumeroNFe"), "1");
    EXPECT_EQ(text_of(found, "ValorServicos"), "20500.00");
    const Note* const note = book_.find_by_documento(rps.documento());
    ASSERT_NE(note, nullptr);
    EXPECT_EQ(note->authorised.chave, "SP31000000-1");
    EXPECT_EQ(note->authorised.sha256, to_hex(sha256(rps.xml())));
}

TEST_F(SaoPaulo, RpsThatIsSentAgainCancelsTheFirstNoteAndIssuesAnother)
{
    const TestRps rps;
    ask(post_rps(rps));

    const Judgement again = judge(post_rps(rps));

    const std::string xml = retorno_of(again.response.body);
    EXPECT_EQ(text_of(xml, "Sucesso"), "true");
    EXPECT_EQ(text_of(xml, "Codigo"), "217");
    EXPECT_THAT(xml, HasSubstr("<Alerta"));
    EXPECT_EQ(text_of(xml, "NumeroNFe"), "2");
    ASSERT_EQ(again.events.size(), 2U);
    EXPECT_EQ(std::get<EventRegistered>(again.events[1]).chave, "SP31000000-1");
    EXPECT_THAT(texts_of(ask(ask_rps(rps)), "StatusNFe"), ElementsAre("C", "N"));
    EXPECT_THAT(
        book_.to_json(rps.documento()), HasSubstr(R"({"authorisations":2,"chave":"SP31000000-2",)")
    );
    EXPECT_THAT(book_.to_json(), HasSubstr(R"("cancelled":false,"cancellations":1,)"));
    EXPECT_THAT(book_.stats_json(), HasSubstr(R"("authorised_twice":1,"cancelled":1,)"));
}

TEST_F(SaoPaulo, CancelsOnceAndSaysSo)
{
    ask(post_rps({}));

    EXPECT_THAT(told(cancel_nota("1")), ElementsAre("true"));
    EXPECT_THAT(told(cancel_nota("1")), ElementsAre("true", "1301"));
    EXPECT_THAT(told(cancel_nota("2")), ElementsAre("false", "1106"));
    EXPECT_THAT(told(cancel_nota("1", "")), ElementsAre("false", "1305"));
    const std::string found = ask(ask_rps({}));
    EXPECT_THAT(texts_of(found, "StatusNFe"), ElementsAre("C"));
    EXPECT_THAT(found, HasSubstr("<DataCancelamento>"));
}

TEST_F(SaoPaulo, FindsANoteByItsNumberToo)
{
    ask(post_rps({}));
    ask(post_rps({.numero = 2}));
    const std::string message = fmt::format(
        R"(<PedidoConsultaNFe xmlns="{}">{}<Detalhe>{}</Detalhe></PedidoConsultaNFe>)",
        sp_space,
        sp_sender,
        chave_nota("2")
    );

    EXPECT_EQ(text_of(ask(sp_soap(Call::consultar, message)), "NumeroRPS"), "2");
}

TEST_F(SaoPaulo, AnswersInTheSoapOfTheQuestionAndTakesCdata)
{
    const SpSoap soap_12{.space = "http://www.w3.org/2003/05/soap-envelope", .is_cdata = true};

    EXPECT_THAT(told(sp_soap(Call::emitir, TestRps{}.xml(), soap_12)), ElementsAre("true"));

    EXPECT_THAT(body_, HasSubstr(soap_12.space));
    EXPECT_EQ(book_.find_by_documento(TestRps{}.documento())->authorised.xml, TestRps{}.xml());
}

TEST_F(SaoPaulo, RefusesWhatItCannotRead)
{
    EXPECT_THAT(told(sp_soap(Call::emitir, "")), ElementsAre("false", "1102"));
    EXPECT_THAT(told(sp_soap(Call::emitir, "<RPS/>")), ElementsAre("false", "1001"));
    EXPECT_THAT(
        told(sp_soap(Call::emitir, TestRps{.inscricao = "X"}.xml())), ElementsAre("false", "1001")
    );
    EXPECT_THAT(told(post_rps({.assinatura = "*"})), ElementsAre("false", "1206"));
    EXPECT_THAT(
        told(sp_soap(Call::emitir, std::string(512'001, ' '))), ElementsAre("false", "1101")
    );
    http::Request version = post_rps({});
    const std::string one = "<VersaoSchema>1<";
    version.body.replace(version.body.find(one), one.size(), "<VersaoSchema>3<");
    EXPECT_THAT(told(version), ElementsAre("false", "1002"));
    http::Request other = post_rps({});
    other.body = "<Envelope/>";
    EXPECT_EQ(judge(other).response.status, 500);
    EXPECT_EQ(book_.find_by_documento(TestRps{}.documento()), nullptr);
}

TEST_F(SaoPaulo, Faults)
{
    EXPECT_THAT(told(post_rps({}), Fault::refuse), ElementsAre("false", "1206"));
    EXPECT_EQ(judge(post_rps({}), Fault::maintenance).response.status, 500);
    EXPECT_EQ(judge(post_rps({}), Fault::throttle).response.status, 429);
    EXPECT_EQ(book_.find_by_documento(TestRps{}.documento()), nullptr);
    EXPECT_THAT(told(post_rps({}), Fault::duplicate), ElementsAre("false", "218"));
    EXPECT_THAT(texts_of(ask(ask_rps({})), "StatusNFe"), ElementsAre("N"));
    EXPECT_THAT(told(cancel_nota("1"), Fault::refuse), ElementsAre("false", "1306"));
    EXPECT_THAT(told(cancel_nota("1"), Fault::duplicate), ElementsAre("true", "1301"));
    EXPECT_THAT(texts_of(ask(ask_rps({})), "StatusNFe"), ElementsAre("C"));
}

TEST_F(SaoPaulo, OddShapesSayTheSame)
{
    for (int number = 1; number <= 2; ++number) {
        const std::string xml = ask(post_rps({.numero = number}), Fault::odd_shapes);
        EXPECT_THAT(body_, HasSubstr("<![CDATA["));
        EXPECT_EQ(text_of(xml, "Sucesso"), "true");
        EXPECT_TRUE(xml::Document::parse(xml).has_value());
        EXPECT_EQ(xml.contains(R"(xmlns="")"), number == 1);
    }
}

}  // namespace
}  // namespace umavez::fiscal::simulator
