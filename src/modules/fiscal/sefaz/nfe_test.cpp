#include "modules/fiscal/sefaz/nfe.hpp"

#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::sefaz {
namespace {

using namespace test_documents;
using testing::HasSubstr;

std::string signed_nfe(const NfeWish& wish = {})
{
    return make_nfe(shop(), wish);
}

std::string why_not(std::string_view xml)
{
    const auto nfe = read_nfe(xml);
    EXPECT_FALSE(nfe) << xml.substr(0, 500);
    if (nfe) return "";
    EXPECT_EQ(nfe.error().code, Errc::invalid_argument);
    return nfe.error().detail;
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string between(const std::string& text, std::string_view from, std::string_view to)
{
    const std::size_t begin = text.find(from);
    return text.substr(begin, text.find(to, begin) + to.size() - begin);
}

TEST(NfeTest, TheIdentificationIsRead)
{
    const std::string xml = signed_nfe();
    const auto nfe = read_nfe(xml);
    ASSERT_TRUE(nfe) << nfe.error().detail;
    EXPECT_EQ(nfe->chave.text(), key_of());
    EXPECT_EQ(nfe->chave.tipo(), Tipo::nfe);
    EXPECT_EQ(nfe->ambiente, Ambiente::homologacao);
    EXPECT_EQ(nfe->emitente, cnpj);
    EXPECT_EQ(nfe->serie, 1);
    EXPECT_EQ(nfe->numero, 30);
    EXPECT_EQ(nfe->tp_emis, 1);
    EXPECT_EQ(nfe->dh_emi, "2026-03-03T12:17:25-03:00");
    EXPECT_EQ(nfe->id_idempotencia, "nfe:2:55_35_58716523000119_001_000000030");
    EXPECT_EQ(nfe->dig_val.size(), 28u);
    EXPECT_THAT(xml, HasSubstr("<DigestValue>" + nfe->dig_val + "</DigestValue>"));
    EXPECT_EQ(find_dig_val(xml).value(), nfe->dig_val);
}

TEST(NfeTest, ConsumersLettersAndPeople)
{
    const auto consumer = read_nfe(signed_nfe(
        {.mod = "65",
         .tp_emis = "9",
         .tp_amb = "1",
         .beside = "<infNFeSupl><qrCode>https://x/?p=1</qrCode></infNFeSupl>"}
    ));
    ASSERT_TRUE(consumer) << consumer.error().detail;
    EXPECT_EQ(consumer->chave.tipo(), Tipo::nfce);
    EXPECT_EQ(consumer->tp_emis, 9);
    EXPECT_EQ(consumer->id_idempotencia, "nfce:1:65_35_58716523000119_001_000000030_9");
    const auto letters =
        read_nfe(signed_nfe({.issuer = "<CNPJ>12ABC34501DE35</CNPJ>", .inscricao = "12ABC34501DE35"}
        ));
    ASSERT_TRUE(letters) << letters.error().detail;
    EXPECT_EQ(letters->emitente, "12ABC34501DE35");
    const auto person = read_nfe(signed_nfe(
        {.issuer = "<CPF>12345678909</CPF>", .inscricao = "00012345678909", .serie = "920"}
    ));
    ASSERT_TRUE(person) << person.error().detail;
    EXPECT_EQ(person->emitente, "12345678909");
    EXPECT_EQ(person->serie, 920);
}

// Each field of the key, once not as the key has it.
TEST(NfeTest, AKeyThatIsNotMadeOfTheFieldsIsTold)
{
    const std::string id = id_of();
    const NfeWish others[] = {
        {.mod = "65", .id = id},
        {.uf = "33", .id = id},
        {.issuer = "<CNPJ>12ABC34501DE35</CNPJ>", .inscricao = "12ABC34501DE35", .id = id},
        {.serie = "2", .id = id},
        {.numero = "31", .id = id},
        {.tp_emis = "9", .id = id},
        {.c_nf = "26730162", .id = id},
        {.dh_emi = "2026-04-01T00:00:00-03:00", .id = id},
    };
    for (const NfeWish& wish : others) {
        EXPECT_THAT(why_not(signed_nfe(wish)), HasSubstr("but its fields make NFe" + key_of(wish)));
    }
    EXPECT_THAT(why_not(signed_nfe({.id = key_of()})), HasSubstr("the Id of infNFe is"));
    std::string digit = make_unsigned();
    const std::string last = between(digit, "<cDV>", "</cDV>");
    const std::string wrong = last == "<cDV>0</cDV>" ? "<cDV>1</cDV>" : "<cDV>0</cDV>";
    EXPECT_THAT(
        why_not(sign(replaced(digit, last, wrong), id, shop())), HasSubstr("cDV must be the last")
    );
}

TEST(NfeTest, WhatDoesNotFitIsTold)
{
    const auto bent = [](std::string_view from, std::string_view to) {
        return why_not(sign(replaced(make_unsigned(), from, to), id_of(), shop()));
    };
    EXPECT_THAT(why_not("rubbish"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<NFe/>"), HasSubstr("it is no NFe of http://www.portalfiscal"));
    EXPECT_THAT(
        why_not(replaced(signed_nfe(), "inf.br/nfe\"", "inf.br/cte\"")), HasSubstr("it is no NFe")
    );
    EXPECT_THAT(
        why_not("<nfeProc xmlns='http://www.portalfiscal.inf.br/nfe'/>"), HasSubstr("no NFe")
    );
    EXPECT_THAT(why_not(signed_nfe({.tp_amb = "3"})), HasSubstr("tpAmb must be 1 or 2"));
    EXPECT_THAT(why_not(signed_nfe({.mod = "57"})), HasSubstr("mod must be 55 or 65"));
    EXPECT_THAT(why_not(signed_nfe({.numero = "0"})), HasSubstr("its access key"));
    EXPECT_THAT(bent("<nNF>30</nNF>", "<nNF>x</nNF>"), HasSubstr("nNF must have 1 to 9 digits"));
    EXPECT_THAT(bent("<serie>1</serie>", ""), HasSubstr("ide has no serie"));
    EXPECT_THAT(bent("<serie>1<", "<serie>1</serie><serie>1<"), HasSubstr("serie stands twice"));
    EXPECT_THAT(bent("<emit>", "<emit/><emit>"), HasSubstr("emit stands twice"));
    EXPECT_THAT(bent("2026-03-03T12", "2026-03-03 12"), HasSubstr("dhEmi must be like"));
    EXPECT_THAT(bent("58716523000119</CNPJ>", "58716523000118</CNPJ>"), HasSubstr("of emit"));
    EXPECT_THAT(bent("<emit>", "<emit><CPF>12345678909</CPF>"), HasSubstr("give one of them"));
    EXPECT_THAT(bent("versao=\"4.00\"", "versao=\"3.10\""), HasSubstr("versao 4.00"));
    EXPECT_THAT(why_not(signed_nfe() + "<!-- x -->"), HasSubstr("a comment or an instruction"));
}

TEST(NfeTest, WithoutASignatureThatFitsNothingIsRead)
{
    EXPECT_THAT(why_not(make_unsigned()), HasSubstr("there are 0"));
    EXPECT_THAT(
        why_not(replaced(signed_nfe(), "LOJA LTDA", "LOJA SA")),
        HasSubstr("changed after it was signed")
    );
}

// What is signed is kept somewhere, and what is read is another element.
TEST(NfeTest, WrappingIsRefused)
{
    const std::string text = signed_nfe();
    const std::string covered = between(text, "<infNFe ", "</infNFe>");
    const std::string signature = between(text, "<Signature ", "</Signature>");
    const std::string evil = replaced(covered, "LOJA LTDA", "LOJA SA");
    const std::string other = replaced(evil, id_of(), "NFe1");
    EXPECT_THAT(why_not(replaced(text, covered, evil + covered)), HasSubstr("stands twice"));
    EXPECT_THAT(why_not(replaced(text, covered, other + covered)), HasSubstr("stands twice"));
    EXPECT_THAT(
        why_not(replaced(text, covered, evil + "<infNFeSupl>" + covered + "</infNFeSupl>")),
        HasSubstr("several elements")
    );
    EXPECT_THAT(
        why_not(replaced(text, covered, evil + "<w>" + covered + "</w>")),
        HasSubstr("NFe may not have w inside")
    );
    EXPECT_THAT(
        why_not(replaced(
            replaced(text, covered, evil),
            "</Signature>",
            "<Object>" + covered + "</Object></Signature>"
        )),
        HasSubstr("several elements")
    );
    EXPECT_THAT(
        why_not(replaced(text, signature, signature + signature)), HasSubstr("there are 2")
    );
    EXPECT_THAT(
        why_not(replaced(text, signature, signature + "<Signature/>")),
        HasSubstr("NFe may not have Signature inside")
    );
    EXPECT_THAT(
        why_not(replaced(
            text,
            "<NFe xmlns=\"" + std::string{nfe_namespace} + "\">",
            "<NFe xmlns=\"" + std::string{nfe_namespace} + "\"><x xmlns=\"urn:x\"/>"
        )),
        HasSubstr("NFe may not have x inside")
    );
}

// Who unfolded the first would not come to an end.
TEST(NfeTest, AttacksCostNothing)
{
    std::string bomb = "<!DOCTYPE NFe [<!ENTITY e0 \"lol\">";
    for (int i = 1; i < 30; ++i) {
        bomb += fmt::format("<!ENTITY e{0} \"&e{1};&e{1};&e{1};&e{1};\">", i, i - 1);
    }
    EXPECT_THAT(why_not(bomb + "]><NFe>&e29;</NFe>"), HasSubstr("document type"));
    EXPECT_THAT(
        why_not("<!DOCTYPE NFe [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><NFe>&x;</NFe>"),
        HasSubstr("document type")
    );
    EXPECT_THAT(why_not(std::string(nfe_bytes_max + 1, ' ')), HasSubstr("at most"));
    std::string deep = "<NFe xmlns=\"" + std::string{nfe_namespace} + "\">";
    for (int i = 0; i < 10'000; ++i) deep += "<a>";
    EXPECT_THAT(why_not(deep), HasSubstr("deep"));
}

TEST(EmbeddingTest, TheRootIsTakenAsItIsWritten)
{
    EXPECT_EQ(root_text("<?xml version='1.0'?>\r\n<a>\n</a >\n"), "<a>\n</a >");
    EXPECT_EQ(root_text("\xef\xbb\xbf<a/>"), "<a/>");
    EXPECT_EQ(root_text("<a/>"), "<a/>");
    EXPECT_EQ(root_text(""), "");
    EXPECT_EQ(root_text("<?xml "), "<?xml");
    EXPECT_TRUE(is_root_alone("<?xml version='1.0'?><a><!-- b --></a>"));
    for (const char* const text :
         {"<!-- x --><a/>", "<a/><!-- x -->", "<?x ?><a/>", "<a/><?x ?>"}) {
        EXPECT_FALSE(is_root_alone(text)) << text;
    }
}

}  // namespace
}  // namespace umavez::fiscal::sefaz
