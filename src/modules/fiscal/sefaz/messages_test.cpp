// What is sent; and what is signed is judged by xmlsec1.

#include "modules/fiscal/sefaz/messages.hpp"

#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/pedido_evento.hpp"
#include "modules/fiscal/sefaz/pedido_inutilizacao.hpp"
#include "modules/fiscal/sefaz/reason.hpp"
#include "modules/fiscal/sefaz/test_documents.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace umavez::fiscal::sefaz {
namespace {

using namespace std::chrono_literals;
using namespace test_documents;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view space_attribute = "xmlns=\"http://www.portalfiscal.inf.br/nfe\"";
constexpr std::string_view why = "Mercadoria <não> entregue & devolvida";

const xml::SigningKey signer{shop().certificate_pem, shop().key_pem};

PedidoEvento pedido_evento()
{
    return {
        .emitente = std::string{cnpj},
        .chave = key_of(),
        .protocolo = "135260000000123",
        .justificativa = std::string{why},
        .now = Instant{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 2h},
    };
}

PedidoEvento pedido_substituicao()
{
    PedidoEvento pedido = pedido_evento();
    pedido.chave = key_of({.mod = "65"});
    pedido.chave_substituta = key_of({.mod = "65", .numero = "31", .tp_emis = "9"});
    return pedido;
}

Inutilizacao inutilizacao()
{
    return {
        .emitente = std::string{cnpj},
        .uf = "35",
        .ano = 2026,
        .serie = 1,
        .primeiro = 31,
        .ultimo = 34,
        .justificativa = std::string{why},
    };
}

TEST(MessagesTest, QuestionsSayWhatTheSchemaHas)
{
    const std::string space{space_attribute};
    EXPECT_EQ(
        make_cons_sit(Ambiente::homologacao, "35"),
        "<consSitNFe " + space +
            " versao=\"4.00\"><tpAmb>2</tpAmb><xServ>CONSULTAR</xServ>"
            "<chNFe>35</chNFe></consSitNFe>"
    );
    EXPECT_EQ(
        make_cons_reci(Ambiente::producao, "351"),
        "<consReciNFe " + space + " versao=\"4.00\"><tpAmb>1</tpAmb><nRec>351</nRec></consReciNFe>"
    );
    EXPECT_EQ(
        make_cons_stat(Ambiente::producao, "35"),
        "<consStatServ " + space +
            " versao=\"4.00\"><tpAmb>1</tpAmb><cUF>35</cUF>"
            "<xServ>STATUS</xServ></consStatServ>"
    );
}

TEST(MessagesTest, TheBytesOfADocumentStandUnchanged)
{
    const std::string head = "<enviNFe " + std::string{space_attribute} +
                             " versao=\"4.00\"><idLote>30</idLote><indSinc>1</indSinc>";
    const std::string odd = "<NFe  xmlns='x'>\r\n<a b = \"1\" />&#10;<!-- c -->\n</NFe >";
    for (const std::string& before :
         {std::string{},
          std::string{"<?xml version='1.0' encoding='UTF-8'?>\n"},
          std::string{"\xef\xbb\xbf"}}) {
        EXPECT_EQ(make_envi_nfe(before + odd + "\n", 30), head + odd + "</enviNFe>");
    }
    const std::string nfe = make_nfe(shop());
    const auto message = xml::Document::parse(make_envi_nfe(nfe, 30));
    ASSERT_TRUE(message);
    const auto inf = message->root().find("NFe/infNFe");
    ASSERT_TRUE(inf);
    EXPECT_TRUE(check_signature(*message, *inf));
}

TEST(PedidoEventoTest, ACancellationIsSignedAndSaysWhatItMust)
{
    const auto text = make_pedido_evento(pedido_evento(), signer);
    ASSERT_TRUE(text) << text.error().detail;
    const auto document = xml::Document::parse(*text);
    ASSERT_TRUE(document) << document.error().detail;
    const auto inf = document->root().find("infEvento");
    ASSERT_TRUE(inf);
    EXPECT_EQ(inf->attribute("Id"), "ID110111" + key_of() + "01");
    EXPECT_EQ(inf->attribute("Id")->size(), 54u);
    EXPECT_EQ(inf->find_text("cOrgao"), "35");
    EXPECT_EQ(inf->find_text("tpAmb"), "2");
    EXPECT_EQ(inf->find_text("CNPJ"), cnpj);
    EXPECT_EQ(inf->find_text("chNFe"), key_of());
    EXPECT_EQ(inf->find_text("dhEvento"), "2026-02-28T23:00:00-03:00");
    EXPECT_EQ(inf->find_text("tpEvento"), "110111");
    EXPECT_EQ(inf->find_text("nSeqEvento"), "1");
    EXPECT_EQ(inf->find_text("detEvento/descEvento"), "Cancelamento");
    EXPECT_EQ(inf->find_text("detEvento/nProt"), "135260000000123");
    EXPECT_EQ(inf->find_text("detEvento/xJust"), why);
    const auto checked = check_signature(*document, *inf);
    ASSERT_TRUE(checked) << checked.error().detail;
    EXPECT_EQ(checked->algorithm, xml::SignatureAlgorithm::rsa_sha1);
    EXPECT_EQ(make_pedido_evento(pedido_evento(), signer).value(), *text);
    // The batch around it leaves it as it is.
    EXPECT_THAT(
        make_env_evento(*text, 30), HasSubstr("<idLote>30</idLote>" + std::string{root_text(*text)})
    );
    const auto batch = xml::Document::parse(make_env_evento(*text, 30));
    ASSERT_TRUE(batch);
    EXPECT_TRUE(check_signature(*batch, *batch->root().find("evento/infEvento")));
}

TEST(PedidoEventoTest, ASubstitutionNamesWhatTookItsPlace)
{
    const auto text = make_pedido_evento(pedido_substituicao(), signer);
    ASSERT_TRUE(text) << text.error().detail;
    const auto document = xml::Document::parse(*text);
    const auto inf = document->root().find("infEvento");
    EXPECT_THAT(inf->attribute("Id").value(), StartsWith("ID110112"));
    EXPECT_EQ(inf->find_text("tpEvento"), "110112");
    EXPECT_EQ(inf->find_text("detEvento/descEvento"), "Cancelamento por substituicao");
    EXPECT_EQ(inf->find_text("detEvento/cOrgaoAutor"), "35");
    EXPECT_EQ(inf->find_text("detEvento/tpAutor"), "1");
    EXPECT_EQ(inf->find_text("detEvento/chNFeRef"), pedido_substituicao().chave_substituta);
}

TEST(PedidoEventoTest, WhatTheSchemaWouldRefuseIsRefusedHere)
{
    const auto why_not = [](const PedidoEvento& pedido) {
        const auto made = make_pedido_evento(pedido, signer);
        EXPECT_FALSE(made);
        return made ? "" : made.error().detail;
    };
    PedidoEvento pedido = pedido_evento();
    pedido.justificativa = "curta demais";
    EXPECT_THAT(why_not(pedido), HasSubstr("15 to 255 characters, not 12"));
    pedido = pedido_evento();
    pedido.protocolo = "";
    EXPECT_THAT(why_not(pedido), HasSubstr("the protocol of the authorisation"));
    pedido = pedido_evento();
    pedido.chave.back() = pedido.chave.back() == '0' ? '1' : '0';
    EXPECT_THAT(why_not(pedido), HasSubstr("the access key"));
    pedido = pedido_evento();
    pedido.chave_substituta = key_of({.numero = "31"});
    EXPECT_THAT(why_not(pedido), HasSubstr("only an NFC-e"));
    pedido = pedido_substituicao();
    pedido.chave_substituta = pedido.chave;
    EXPECT_THAT(why_not(pedido), HasSubstr("another document"));
    pedido.chave_substituta = key_of({.mod = "65", .inscricao = "12ABC34501DE35"});
    EXPECT_THAT(why_not(pedido), HasSubstr("same issuer"));
    pedido.chave_substituta = "1";
    EXPECT_THAT(why_not(pedido), HasSubstr("the key of the substitute"));
    EXPECT_EQ(make_pedido_evento(pedido_evento(), {"", ""}).error().code, Errc::misconfigured);
}

TEST(PedidoInutilizacaoTest, ItIsSignedAndNamedByItsRange)
{
    const auto text = make_pedido_inutilizacao(inutilizacao(), signer);
    ASSERT_TRUE(text) << text.error().detail;
    const auto document = xml::Document::parse(*text);
    ASSERT_TRUE(document) << document.error().detail;
    const auto inf = document->root().find("infInut");
    ASSERT_TRUE(inf);
    EXPECT_EQ(inf->attribute("Id"), "ID35265871652300011955001000000031000000034");
    EXPECT_EQ(inf->attribute("Id")->size(), 43u);
    EXPECT_EQ(inf->find_text("xServ"), "INUTILIZAR");
    EXPECT_EQ(inf->find_text("ano"), "26");
    EXPECT_EQ(inf->find_text("serie"), "1");
    EXPECT_EQ(inf->find_text("nNFFin"), "34");
    EXPECT_EQ(inf->find_text("xJust"), why);
    EXPECT_TRUE(check_signature(*document, *inf));
    Inutilizacao person = inutilizacao();
    person.tipo = Tipo::nfce;
    person.emitente = "12345678909";
    person.ambiente = Ambiente::producao;
    const auto of_person = make_pedido_inutilizacao(person, signer);
    ASSERT_TRUE(of_person);
    EXPECT_THAT(*of_person, HasSubstr("\"ID35260001234567890965001000000031000000034\""));
    EXPECT_THAT(*of_person, HasSubstr("<tpAmb>1</tpAmb>"));
    EXPECT_THAT(*of_person, HasSubstr("<CPF>12345678909</CPF><mod>65</mod>"));
}

TEST(PedidoInutilizacaoTest, WhatDoesNotFitIsTold)
{
    const auto why_not = [](auto change) {
        Inutilizacao asked = inutilizacao();
        change(asked);
        const auto made = make_pedido_inutilizacao(asked, signer);
        EXPECT_FALSE(made);
        return made ? "" : made.error().detail;
    };
    using I = Inutilizacao;
    EXPECT_THAT(why_not([](I& i) { i.tipo = Tipo::nfse_sp; }), HasSubstr("NF-e and NFC-e"));
    EXPECT_THAT(why_not([](I& i) { i.uf = "SP"; }), HasSubstr("uf must be the IBGE code"));
    EXPECT_THAT(why_not([](I& i) { i.ano = 26; }), HasSubstr("ano must be 2006"));
    EXPECT_THAT(why_not([](I& i) { i.serie = 1000; }), HasSubstr("serie must be 0 to 999"));
    EXPECT_THAT(why_not([](I& i) { i.primeiro = 0; }), HasSubstr("they must be 1 to"));
    EXPECT_THAT(why_not([](I& i) { i.primeiro = 35; }), HasSubstr("35 to 34"));
    EXPECT_THAT(why_not([](I& i) { i.ultimo = 1'000'000'000; }), HasSubstr("they must be 1 to"));
    EXPECT_THAT(
        why_not([](I& i) { i.emitente = "1"; }), HasSubstr("the issuer has the wrong length")
    );
    EXPECT_THAT(why_not([](I& i) { i.justificativa = "x"; }), HasSubstr("xJust"));
}

TEST(ReasonTest, IsOfLatin1OnOneLine)
{
    EXPECT_EQ(check_reason("  çãõáéíóúâêôÇÃÕü ").value(), "çãõáéíóúâêôÇÃÕü");
    EXPECT_TRUE(check_reason(std::string(255, 'a')));
    EXPECT_FALSE(check_reason(std::string(256, 'a')));
    EXPECT_FALSE(check_reason("  " + std::string(14, 'a') + "  "));
    EXPECT_FALSE(check_reason("duas linhas\nsão demais aqui"));
    EXPECT_FALSE(check_reason("emoji não é Latin-1 \xf0\x9f\x98\x80"));
    EXPECT_FALSE(check_reason("bytes quaisquer \xff\xff\xff"));
}

// The tests of documents, events and voidings in one: the authorities check what this command does.
TEST(Xmlsec1Test, BelievesWhatWeSign)
{
    if (std::system("command -v xmlsec1 >/dev/null") != 0)
        GTEST_SKIP() << "xmlsec1 is not installed";
    const test::TemporaryFolder folder;
    std::ofstream{folder.path() + "/ca.pem"} << issuer().pem();
    const auto believes = [&](const std::string& text, const std::string& element) {
        std::ofstream{folder.path() + "/signed.xml"} << text;
        const std::string command = "xmlsec1 --verify --trusted-pem " + folder.path() +
                                    "/ca.pem --id-attr:Id " + element + " " + folder.path() +
                                    "/signed.xml >/dev/null 2>&1";
        return std::system(command.c_str()) == 0;
    };
    const std::pair<std::string, std::string> all[] = {
        {make_nfe(shop()), "infNFe"},
        {make_envi_nfe(make_nfe(shop()), 1), "infNFe"},
        {*make_pedido_evento(pedido_evento(), signer), "infEvento"},
        {make_env_evento(*make_pedido_evento(pedido_substituicao(), signer), 1), "infEvento"},
        {make_pedido_inutilizacao(inutilizacao(), signer).value(), "infInut"},
    };
    for (const auto& [text, element] : all) {
        EXPECT_TRUE(believes(text, element)) << element;
        std::string changed = text;
        const std::size_t at = changed.find("<tpAmb>2");
        ASSERT_NE(at, std::string::npos);
        changed.replace(at, 8, "<tpAmb>1");
        EXPECT_FALSE(believes(changed, element)) << "xmlsec1 believes everything";
    }
}

}  // namespace
}  // namespace umavez::fiscal::sefaz
