// A signed message is read from what its signature covers, or refused with a sentence.

#include "modules/fiscal/sao_paulo/rps.hpp"

#include "modules/fiscal/sao_paulo/pedido_envio.hpp"
#include "modules/fiscal/sao_paulo/test_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::sao_paulo {
namespace {

using namespace test_documents;
using testing::HasSubstr;

std::string why_not(std::string_view xml)
{
    const auto rps = read_rps(xml, Ambiente::producao);
    EXPECT_FALSE(rps) << xml;
    if (rps) return "";
    EXPECT_EQ(rps.error().code, Errc::invalid_argument);
    return rps.error().detail;
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

TEST(RpsTest, TheIdentificationIsRead)
{
    const auto rps = read_rps(make_rps(), Ambiente::producao);
    ASSERT_TRUE(rps) << rps.error().detail;
    EXPECT_EQ(rps->layout, SpLayout::one);
    EXPECT_EQ(rps->ambiente, Ambiente::producao);
    EXPECT_EQ(rps->emitente, cnpj);
    EXPECT_EQ(rps->serie, "OL03");
    EXPECT_EQ(rps->numero, 1);
    EXPECT_EQ(rps->id_autoridade, rps_key);
    EXPECT_EQ(rps->id_idempotencia, "nfse-sp:1:000031000000_OL03_000000000001");
    EXPECT_EQ(
        read_rps(make_rps(), Ambiente::homologacao)->id_idempotencia,
        "nfse-sp:2:000031000000_OL03_000000000001"
    );
}

TEST(RpsTest, LayoutTwo)
{
    const auto rps = read_rps(make_rps(layout_two()), Ambiente::producao);
    ASSERT_TRUE(rps) << rps.error().detail;
    EXPECT_EQ(rps->layout, SpLayout::two);
    EXPECT_EQ(rps->id_autoridade, "123456789012_RTNT_000000000001");
    RpsWish wish = layout_two();
    wish.valor = "<ValorFinalCobrado>20500</ValorFinalCobrado>";
    EXPECT_TRUE(read_rps(make_rps(wish), Ambiente::producao));
    wish.tomador = "<CPFCNPJTomador><NIF>W123456789</NIF></CPFCNPJTomador>";
    wish.text =
        "123456789012RTNT 00000000000120260101TNN00000000205000000000000050000002658400000000000000"
        "W123456789";
    const auto abroad = read_rps(make_rps(wish), Ambiente::producao);
    EXPECT_TRUE(abroad) << abroad.error().detail;
    wish.valor += "<ValorInicialCobrado>20500</ValorInicialCobrado>";
    EXPECT_THAT(why_not(make_rps(wish)), HasSubstr("give one of them"));
}

// However it is written, it is the same RPS.
TEST(RpsTest, OneRpsHasOneKey)
{
    RpsWish wish;
    wish.numero = "0001";
    EXPECT_EQ(read_rps(make_rps(wish), Ambiente::producao)->id_autoridade, rps_key);
    RpsWish wide = layout_two();
    wide.im = "000031000000";
    wide.serie = "<SerieRPS>OL03</SerieRPS>";
    wide.text = replaced(wide.text, "123456789012RTNT", "000031000000OL03");
    const auto rps = read_rps(make_rps(wide), Ambiente::producao);
    ASSERT_TRUE(rps) << rps.error().detail;
    EXPECT_EQ(rps->id_autoridade, rps_key);
    wish = {};
    wish.serie = "<SerieRPS> OL03</SerieRPS>";
    EXPECT_THAT(why_not(make_rps(wish)), HasSubstr("ChaveRPS"));
    wish.serie = "";
    wish.text = replaced(wish.text, "OL03 ", "     ");
    EXPECT_EQ(
        read_rps(make_rps(wish), Ambiente::producao)->id_autoridade, "000031000000__000000000001"
    );
}

TEST(RpsTest, IntermediariesAreSignedToo)
{
    RpsWish wish;
    wish.more =
        "<CPFCNPJIntermediario><CNPJ>09999999000106</CNPJ></CPFCNPJIntermediario>"
        "<ISSRetidoIntermediario>true</ISSRetidoIntermediario>";
    EXPECT_THAT(why_not(make_rps(wish)), HasSubstr("Assinatura does not fit"));
    wish.text += "209999999000106S";
    EXPECT_TRUE(read_rps(make_rps(wish), Ambiente::producao));
    // That there is none may be said.
    wish = {};
    wish.text += "300000000000000N";
    EXPECT_TRUE(read_rps(make_rps(wish), Ambiente::producao));
    // Whoever has no number abroad: how that is signed is told nowhere.
    wish = layout_two();
    wish.tomador = "<CPFCNPJTomador><NaoNIF>1</NaoNIF></CPFCNPJTomador>";
    EXPECT_TRUE(read_rps(make_rps(wish), Ambiente::producao));
    wish = {};
    wish.tomador = "";
    wish.text = replaced(wish.text, "100013167474254", "300000000000000");
    EXPECT_TRUE(read_rps(make_rps(wish), Ambiente::producao));
}

TEST(RpsTest, WhatDoesNotFitIsTold)
{
    const auto with = [](auto change) {
        RpsWish wish;
        change(wish);
        return make_rps(wish);
    };
    EXPECT_THAT(why_not("rubbish"), HasSubstr("no well-formed XML"));
    EXPECT_THAT(why_not("<PedidoEnvioRPS/>"), HasSubstr("it is no PedidoEnvioRPS of http"));
    EXPECT_THAT(
        why_not(replaced(
            make_rps(), "PedidoEnvioRPS xmlns=\"http://www", "PedidoEnvioRPS xmlns=\"http://ww"
        )),
        HasSubstr("it is no PedidoEnvioRPS of")
    );
    EXPECT_THAT(why_not(with([](RpsWish& w) { w.versao = "3"; })), HasSubstr("Versao"));
    EXPECT_THAT(
        why_not(with([](RpsWish& w) { w.remetente = "<CNPJ>00574753000101</CNPJ>"; })),
        HasSubstr("CPFCNPJRemetente has the wrong check digit")
    );
    EXPECT_THAT(
        why_not(with([](RpsWish& w) { w.remetente += "<CPF>13167474254</CPF>"; })),
        HasSubstr("a CNPJ or a CPF")
    );
    EXPECT_THAT(
        why_not(with([](RpsWish& w) { w.numero = "x"; })), HasSubstr("NumeroRPS must have")
    );
    EXPECT_THAT(why_not(with([](RpsWish& w) { w.numero = "0"; })), HasSubstr("at least 1"));
    EXPECT_THAT(
        why_not(with([](RpsWish& w) { w.im = "123456789"; })),
        HasSubstr("a field that Assinatura covers")
    );
    EXPECT_THAT(
        why_not(with([](RpsWish& w) { w.status = "C"; })), HasSubstr("StatusRPS must be N")
    );
    for (const char* const date : {"03/01/2007", "2007-13-01", "2007-02-30", "2007-1-3", ""}) {
        EXPECT_THAT(
            why_not(with([&](RpsWish& w) { w.data = date; })), HasSubstr("DataEmissao must be")
        );
    }
    for (const char* const amount : {"20.500,00", "-1", "1.234", "", ".", "1.", "12345678901234"}) {
        EXPECT_THAT(
            why_not(with([&](RpsWish& w) {
                w.valor = fmt::format("<ValorServicos>{}</ValorServicos>", amount);
            })),
            HasSubstr("ValorServicos must be like 1234.56")
        );
    }
    EXPECT_THAT(
        why_not(with([](RpsWish& w) { w.more = "<DataEmissao>2007-01-03</DataEmissao>"; })),
        HasSubstr("DataEmissao stands twice")
    );
    EXPECT_THAT(
        why_not(with([](RpsWish& w) { w.valor = "<ValorServicos>20500.01</ValorServicos>"; })),
        HasSubstr("Assinatura does not fit: sign \"31000000OL03 ")
    );
}

TEST(RpsTest, ASignatureMustFit)
{
    const std::string text = make_rps();
    EXPECT_THAT(why_not(unsigned_rps()), HasSubstr("one Signature"));
    EXPECT_THAT(
        why_not(replaced(text, "Consultoria", "consultoria")),
        HasSubstr("changed after it was signed")
    );
    const std::string plain = unsigned_rps();
    for (const char* const wrong : {"", "AAAA", "not base64!"}) {
        EXPECT_THAT(
            why_not(sign(replaced(
                plain,
                between(plain, "<Assinatura>", "</Assinatura>"),
                fmt::format("<Assinatura>{}</Assinatura>", wrong)
            ))),
            HasSubstr("Assinatura must be a signature of RSA")
        );
    }
    // Of somebody else's key.
    const test::Issued other = issuer().issue({.common_name = "OUTRA"});
    const auto theirs = xml::sign_whole(
        plain, {other.certificate_pem, other.key_pem}, xml::SignatureAlgorithm::rsa_sha1
    );
    EXPECT_THAT(why_not(*theirs), HasSubstr("Assinatura does not fit"));
}

TEST(RpsTest, AttacksAreRefused)
{
    const std::string text = make_rps();
    const std::string rps = between(text, "<RPS ", "</RPS>");
    const std::string signature = between(text, "<Signature ", "</Signature>");
    // A second RPS, beside the first and inside of the Signature.
    EXPECT_THAT(why_not(replaced(text, rps, rps + rps)), HasSubstr("one RPS"));
    EXPECT_THAT(
        why_not(replaced(text, signature, signature + signature)), HasSubstr("one Signature")
    );
    EXPECT_THAT(
        why_not(replaced(text, "</Signature>", "<Object>" + rps + "</Object></Signature>")),
        HasSubstr("nothing else")
    );
    EXPECT_THAT(why_not(replaced(text, "URI=\"\"", "URI=\"#x\"")), HasSubstr("refers to"));
    // The signed message inside of one that says something else.
    const std::string inner = text.substr(text.find("<PedidoEnvioRPS"));
    EXPECT_THAT(
        why_not(fmt::format("<PedidoEnvioRPS xmlns=\"{}\">{}</PedidoEnvioRPS>", sp_namespace, inner)
        ),
        HasSubstr("nothing else")
    );
    EXPECT_THAT(
        why_not(make_rps({.cabecalho_space = ""})), HasSubstr("of no namespace (xmlns=\"\")")
    );
    const std::string bomb =
        "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;&b;\">]>" + inner;
    EXPECT_THAT(why_not(bomb), HasSubstr("document type"));
    EXPECT_THAT(
        why_not("<!DOCTYPE a SYSTEM \"file:///etc/passwd\">" + inner), HasSubstr("document type")
    );
    EXPECT_THAT(why_not(text + std::string(message_bytes_max, ' ')), HasSubstr("at most"));
    EXPECT_THAT(why_not(text + "<?x y?>"), HasSubstr("an instruction beside the root"));
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "<a>";
    EXPECT_THAT(why_not(deep), HasSubstr("nested more than"));
}

TEST(RpsTest, TheLayoutOfAnyMessageCanBeFound)
{
    EXPECT_EQ(find_layout(make_rps()), SpLayout::one);
    EXPECT_EQ(find_layout(make_rps(layout_two())), SpLayout::two);
    EXPECT_EQ(find_layout("rubbish"), std::nullopt);
    EXPECT_EQ(find_layout("<a/>"), std::nullopt);
    EXPECT_EQ(find_layout(unsigned_rps({.versao = "7"})), std::nullopt);
}

TEST(RpsTest, Cents)
{
    EXPECT_EQ(parse_cents("826"), 82600);
    EXPECT_EQ(parse_cents("500.85"), 50085);
    EXPECT_EQ(parse_cents("500.8"), 50080);
    EXPECT_EQ(parse_cents("0"), 0);
    EXPECT_EQ(parse_cents("9999999999999.99"), 999999999999999);
    for (const char* const wrong : {"", ".", "1.", ".5", "1.234", "1,5", "-1", " 1", "1e3"}) {
        EXPECT_EQ(parse_cents(wrong), std::nullopt) << wrong;
    }
}

}  // namespace
}  // namespace umavez::fiscal::sao_paulo
