#include "modules/fiscal/sefaz/soap.hpp"

#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::sefaz {
namespace {

using namespace test_documents;
using testing::HasSubstr;

std::string why_not(std::string_view text)
{
    const auto read = read_envelope(text, "retEnviNFe");
    EXPECT_FALSE(read) << text;
    return read ? "" : read.error().detail;
}

TEST(SoapTest, WhatIsSentIsOfTheService)
{
    EXPECT_EQ(
        make_envelope(Service::status_servico, "<x xmlns=\"urn:x\"/>"),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        "<Envelope xmlns=\"http://www.w3.org/2003/05/soap-envelope\"><Body><nfeDadosMsg "
        "xmlns=\"http://www.portalfiscal.inf.br/nfe/wsdl/NFeStatusServico4\"><x xmlns=\"urn:x\"/>"
        "</nfeDadosMsg></Body></Envelope>"
    );
    EXPECT_EQ(
        content_type_of(Service::autorizacao),
        "application/soap+xml; charset=utf-8; action=\"http://www.portalfiscal.inf.br/nfe/wsdl/"
        "NFeAutorizacao4/nfeAutorizacaoLote\""
    );
    for (const Service service : all_services()) EXPECT_FALSE(method_of(service).empty());
}

// The authority may check it where it stands, or cut it out before.
TEST(SoapTest, ASignatureHoldsInsideOfTheEnvelope)
{
    const std::string nfe = make_nfe(shop());
    const std::string sent = make_envelope(Service::autorizacao, root_text(nfe));
    const auto read = read_envelope(sent, "NFe");
    ASSERT_TRUE(read) << read.error().detail;
    const auto inf = read->message.find("infNFe");
    ASSERT_TRUE(inf);
    const auto checked = check_signature(read->document, *inf);
    EXPECT_TRUE(checked) << checked.error().detail;
    EXPECT_THAT(sent, HasSubstr(root_text(nfe)));
}

TEST(SoapTest, AnswersAreFoundHoweverTheyAreWrapped)
{
    const std::string message =
        fmt::format("<retEnviNFe xmlns=\"{}\"><cStat>104</cStat></retEnviNFe>", nfe_namespace);
    const std::string texts[] = {
        "<soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><soap:Header><x/></soap:Header>"
        "<soap:Body><nfeResultMsg xmlns=\"http://www.portalfiscal.inf.br/nfe/wsdl/"
        "NFeAutorizacao4\">" +
            message + "</nfeResultMsg></soap:Body></soap:Envelope>",
        "<?xml version='1.0' encoding='utf-8'?>\n<e:Envelope "
        "xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\">\n<e:Body>\n<r:resposta "
        "xmlns:r=\"urn:r\"><nfeResultMsg>" +
            message + "</nfeResultMsg></r:resposta></e:Body></e:Envelope>",
        fmt::format(
            "<Envelope xmlns=\"http://www.w3.org/2003/05/soap-envelope\"><Body><n:nfeResultMsg "
            "xmlns:n=\"urn:w\" xmlns:f=\"{}\"><f:retEnviNFe><f:cStat>104</f:cStat></f:retEnviNFe>"
            "</n:nfeResultMsg></Body></Envelope>",
            nfe_namespace
        ),
    };
    for (const std::string& text : texts) {
        const auto read = read_envelope(text, "retEnviNFe");
        ASSERT_TRUE(read) << read.error().detail;
        EXPECT_EQ(read->message.find_text("cStat"), "104");
    }
}

TEST(SoapTest, WhatIsNoAnswerIsTold)
{
    const auto enveloped = [](std::string_view inner) {
        return fmt::format(
            "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body>{}</s:Body>"
            "</s:Envelope>",
            inner
        );
    };
    const std::string message = fmt::format("<retEnviNFe xmlns=\"{}\"/>", nfe_namespace);
    EXPECT_THAT(why_not(""), HasSubstr("well-formed"));
    EXPECT_THAT(why_not("<html><body>Service Unavailable</body></html>"), HasSubstr("but html"));
    EXPECT_THAT(why_not(message), HasSubstr("no SOAP envelope but retEnviNFe"));
    EXPECT_THAT(why_not("<!DOCTYPE html><html/>"), HasSubstr("document type"));
    EXPECT_THAT(
        why_not("<Envelope xmlns=\"http://www.w3.org/2003/05/soap-envelope\"/>"),
        HasSubstr("no Body")
    );
    EXPECT_THAT(why_not(enveloped("")), HasSubstr("0 of retEnviNFe"));
    EXPECT_THAT(why_not(enveloped(message + message)), HasSubstr("2 of retEnviNFe"));
    EXPECT_THAT(why_not(enveloped("<retEnviNFe/>")), HasSubstr("0 of retEnviNFe"));
    EXPECT_THAT(
        why_not(enveloped("<retEnviNFe xmlns=\"http://www.portalfiscal.inf.br/cte\"/>")),
        HasSubstr("0 of")
    );
    EXPECT_THAT(
        why_not(enveloped("<s:Fault><s:Code/><s:Reason><s:Text xml:lang=\"pt\">Certificado</s:Text>"
                          "</s:Reason></s:Fault>")),
        HasSubstr("SOAP fault: Certificado")
    );
    EXPECT_THAT(
        why_not("<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>"
                "<e:Fault><faultcode>x</faultcode><faultstring>velho</faultstring></e:Fault>"
                "</e:Body></e:Envelope>"),
        HasSubstr("SOAP fault: velho")
    );
}

TEST(ServiceTest, ADocumentBelongsToItsStateOrToItsContingency)
{
    EXPECT_EQ(lugar_of(*AccessKey::parse(key_of())), "35");
    EXPECT_EQ(lugar_of(*AccessKey::parse(key_of({.tp_emis = "6"}))), "SVC-AN");
    EXPECT_EQ(lugar_of(*AccessKey::parse(key_of({.tp_emis = "7"}))), "SVC-RS");
    EXPECT_EQ(lugar_of(*AccessKey::parse(key_of({.mod = "65", .tp_emis = "9"}))), "35");
}

}  // namespace
}  // namespace umavez::fiscal::sefaz
