// What is sent; and what is signed is judged by xmlsec1 and openssl.

#include "modules/fiscal/sao_paulo/pedido_envio.hpp"
#include "modules/fiscal/sao_paulo/pedidos.hpp"
#include "modules/fiscal/sao_paulo/soap.hpp"
#include "modules/fiscal/sao_paulo/test_documents.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace umavez::fiscal::sao_paulo {
namespace {

using namespace test_documents;
using testing::HasSubstr;

SpRpsKey key_of(std::string_view text)
{
    return SpRpsKey::parse(text).value();
}

ChaveNfe chave_of(std::string_view text)
{
    return ChaveNfe::parse(text).value();
}

// Of the message alone, without its signature.
std::string unsigned_text(const std::string& message)
{
    const std::size_t begin = message.find("<Pedido");
    const std::size_t end = message.find("<Signature ");
    return message.substr(begin, end - begin);
}

std::string inside_of(const std::string& envelope)
{
    const auto document = xml::Document::parse(envelope);
    EXPECT_TRUE(document) << document.error().detail;
    const auto body = document->root().find("Body");
    EXPECT_TRUE(body);
    const xml::Element request = body->children().at(0);
    EXPECT_EQ(request.space(), sp_namespace);
    return request.find_text("MensagemXML").value();
}

TEST(SoapTest, TheBytesArriveAsTheyAre)
{
    const std::string odd =
        "<?xml version='1.0'?>\r\n<a b = \"1\" c='\"'>\t]]> &amp; &#10; ação <!-- c --></a >\n";
    for (const std::string& message : {odd, make_rps(), std::string{}}) {
        EXPECT_EQ(inside_of(make_envelope(Method::envio_rps, SpLayout::two, message)), message);
    }
    EXPECT_THAT(
        make_envelope(Method::consulta_nfe, SpLayout::one, "x"),
        HasSubstr(
            "<Body><ConsultaNFeRequest xmlns=\"http://www.prefeitura.sp.gov.br/nfe\">"
            "<VersaoSchema>1</VersaoSchema><MensagemXML>x</MensagemXML></ConsultaNFeRequest></Body>"
        )
    );
    EXPECT_EQ(
        content_type_of(Method::cancelamento_nfe),
        "application/soap+xml; charset=utf-8; "
        "action=\"http://www.prefeitura.sp.gov.br/nfe/ws/cancelamentoNFe\""
    );
}

TEST(PedidosTest, AQuestionNamesTheRps)
{
    const auto message = make_pedido_consulta(
        SpLayout::one, cnpj, key_of("000003100000_OL03_000000000001"), signer()
    );
    ASSERT_TRUE(message) << message.error().detail;
    EXPECT_EQ(
        unsigned_text(*message),
        "<PedidoConsultaNFe xmlns=\"http://www.prefeitura.sp.gov.br/nfe\"><Cabecalho xmlns=\"\" "
        "Versao=\"1\"><CPFCNPJRemetente><CNPJ>00574753000100</CNPJ></CPFCNPJRemetente></Cabecalho>"
        "<Detalhe xmlns=\"\"><ChaveRPS><InscricaoPrestador>03100000</InscricaoPrestador>"
        "<SerieRPS>OL03</SerieRPS><NumeroRPS>1</NumeroRPS></ChaveRPS></Detalhe>"
    );
    EXPECT_EQ(find_layout(*message), SpLayout::one);
    const auto of_person = make_pedido_consulta(
        SpLayout::two, "12345678909", key_of("123456789012__000000000001"), signer()
    );
    ASSERT_TRUE(of_person) << of_person.error().detail;
    EXPECT_THAT(*of_person, HasSubstr("<CPF>12345678909</CPF>"));
    EXPECT_THAT(*of_person, HasSubstr("Versao=\"2\""));
    EXPECT_THAT(
        *of_person,
        HasSubstr("<InscricaoPrestador>123456789012</InscricaoPrestador><NumeroRPS>1</NumeroRPS>")
    );
    const auto wide =
        make_pedido_consulta(SpLayout::one, cnpj, key_of("123456789012__000000000001"), signer());
    ASSERT_FALSE(wide);
    EXPECT_THAT(wide.error().detail, HasSubstr("layout 2"));
    EXPECT_EQ(
        make_pedido_consulta(SpLayout::one, cnpj, key_of(rps_key), {"", ""}).error().code,
        Errc::misconfigured
    );
}

TEST(PedidosTest, ACancellationNamesTheNote)
{
    const ChaveNfe chave = chave_of("000031000000_000000000009_ABCD1234");
    EXPECT_EQ(cancellation_text(chave, 8), "31000000000000000009");
    EXPECT_EQ(cancellation_text(chave, 12), "000031000000000000000009");
    EXPECT_EQ(
        cancellation_text(chave_of("123456789012_000000000009"), 8), "123456789012000000000009"
    );
    const auto message = make_pedido_cancelamento(SpLayout::one, cnpj, chave, signer());
    ASSERT_TRUE(message) << message.error().detail;
    EXPECT_EQ(
        unsigned_text(*message),
        "<PedidoCancelamentoNFe xmlns=\"http://www.prefeitura.sp.gov.br/nfe\"><Cabecalho "
        "xmlns=\"\" Versao=\"1\"><CPFCNPJRemetente><CNPJ>00574753000100</CNPJ></CPFCNPJRemetente>"
        "<transacao>true</transacao></Cabecalho><Detalhe xmlns=\"\"><ChaveNFe>"
        "<InscricaoPrestador>31000000</InscricaoPrestador><NumeroNFe>9</NumeroNFe></ChaveNFe>"
        "<AssinaturaCancelamento>" +
            sign_text("31000000000000000009") + "</AssinaturaCancelamento></Detalhe>"
    );
    EXPECT_EQ(make_pedido_cancelamento(SpLayout::one, cnpj, chave, signer()).value(), *message);
}

TEST(PedidosTest, Xmlsec1AndOpensslBelieveWhatWeSign)
{
    if (std::system("command -v xmlsec1 >/dev/null && command -v openssl >/dev/null") != 0)
        GTEST_SKIP() << "xmlsec1 or openssl is not installed";
    const test::TemporaryFolder folder;
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream{folder.path() + "/" + name} << text;
    };
    const auto run = [&](const std::string& command) {
        return std::system(("cd " + folder.path() + " && " + command + " >/dev/null 2>&1").c_str());
    };
    write("ca.pem", issuer().pem());
    const ChaveNfe chave = chave_of("000031000000_000000000009");
    const std::string cancellation =
        make_pedido_cancelamento(SpLayout::two, cnpj, chave, signer()).value();
    for (const std::string& message :
         {make_pedido_consulta(SpLayout::one, cnpj, key_of(rps_key), signer()).value(),
          cancellation,
          make_rps()}) {
        write("signed.xml", message);
        EXPECT_EQ(run("xmlsec1 --verify --trusted-pem ca.pem signed.xml"), 0) << message;
        std::string changed = message;
        changed.replace(changed.find("31000000"), 8, "31000001");
        write("signed.xml", changed);
        EXPECT_NE(run("xmlsec1 --verify --trusted-pem ca.pem signed.xml"), 0) << changed;
    }
    const std::string tag = "<AssinaturaCancelamento>";
    const std::size_t begin = cancellation.find(tag) + tag.size();
    write("signature.b64", cancellation.substr(begin, cancellation.find('<', begin) - begin));
    write("cert.pem", loja().certificate_pem);
    write("text", "31000000000000000009");
    const std::string verify =
        "openssl base64 -d -A -in signature.b64 -out signature && "
        "openssl x509 -in cert.pem -pubkey -noout > key.pem && "
        "openssl dgst -sha1 -verify key.pem -signature signature text";
    EXPECT_EQ(run(verify), 0);
    write("text", "31000000000000000008");
    EXPECT_NE(run(verify), 0);
}

TEST(ChaveNfeTest, OneNoteHasOneText)
{
    const ChaveNfe chave = ChaveNfe::make("31000000", "987", "ABCD1234").value();
    EXPECT_EQ(chave.text(), "000031000000_000000000987_ABCD1234");
    EXPECT_EQ(chave_of(chave.text()).text(), chave.text());
    EXPECT_EQ(ChaveNfe::make("0031000000", "000987", "ABCD1234")->text(), chave.text());
    const ChaveNfe untold = ChaveNfe::make("31000000", "987", "").value();
    EXPECT_EQ(untold.text(), "000031000000_000000000987");
    EXPECT_EQ(chave_of(untold.text()).text(), untold.text());
    EXPECT_TRUE(untold.is_of(chave));
    EXPECT_FALSE(untold.is_of(ChaveNfe::make("31000000", "988", "").value()));
    EXPECT_FALSE(untold.is_of(ChaveNfe::make("31000001", "987", "").value()));
    EXPECT_EQ(ChaveNfe::make("", "1", "").error(), IdFault::length);
    EXPECT_EQ(ChaveNfe::make("000", "1", "").error(), IdFault::all_equal);
    EXPECT_EQ(ChaveNfe::make("1", "0", "").error(), IdFault::number_zero);
    EXPECT_EQ(ChaveNfe::make("1", "1234567890123", "").error(), IdFault::length);
    EXPECT_EQ(ChaveNfe::make("1", "x", "").error(), IdFault::characters);
    EXPECT_EQ(ChaveNfe::make("1", "1", "ABC").error(), IdFault::length);
    EXPECT_EQ(ChaveNfe::make("1", "1", "ABCD 234").error(), IdFault::characters);
    for (const char* const wrong :
         {"",
          "1",
          "000031000000-000000000987",
          "000031000000_000000000987-ABCD1234",
          "000031000000_000000000987_ABC",
          "000031000000_000000000987_"}) {
        EXPECT_FALSE(ChaveNfe::parse(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace umavez::fiscal::sao_paulo
