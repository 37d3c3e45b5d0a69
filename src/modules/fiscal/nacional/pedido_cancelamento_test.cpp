#include "modules/fiscal/nacional/pedido_cancelamento.hpp"

#include "modules/fiscal/nacional/test_documents.hpp"
#include "xml/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::nacional {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class PedidoCancelamentoTest : public testing::Test {
protected:
    Result<std::string> make(const PedidoCancelamento& pedido) const
    {
        return make_pedido_cancelamento(pedido, {issued_.certificate_pem, issued_.key_pem});
    }
    PedidoCancelamento pedido(std::string why = "Serviço <não> prestado & pago") const
    {
        return {
            .emitente = "00574753000100",
            .chave = std::string{test_documents::chave},
            .justificativa = std::move(why),
            .now = Instant{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 2h},
        };
    }
    const test::TestAuthority authority_;
    const test::Issued issued_ = authority_.issue({.common_name = "LOJA:00574753000100"});
};

TEST_F(PedidoCancelamentoTest, ItIsSignedAndSaysWhatItMust)
{
    const auto text = make(pedido());
    ASSERT_TRUE(text) << text.error().detail;
    const auto document = xml::Document::parse(*text);
    ASSERT_TRUE(document) << document.error().detail;
    EXPECT_EQ(document->root().name(), "pedRegEvento");
    const auto inf = document->root().find("infPedReg");
    ASSERT_TRUE(inf);
    EXPECT_EQ(inf->attribute("Id"), fmt::format("PRE{}101101", test_documents::chave));
    EXPECT_EQ(inf->find_text("tpAmb"), "2");
    EXPECT_EQ(inf->find_text("dhEvento"), "2026-02-28T23:00:00-03:00");
    EXPECT_EQ(inf->find_text("CNPJAutor"), "00574753000100");
    EXPECT_EQ(inf->find_text("chNFSe"), test_documents::chave);
    EXPECT_EQ(inf->find_text("e101101/cMotivo"), "9");
    EXPECT_EQ(inf->find_text("e101101/xMotivo"), "Serviço <não> prestado & pago");
    const auto checked = xml::check_signature(*document, *inf);
    EXPECT_TRUE(checked) << checked.error().detail;
    EXPECT_EQ(*make(pedido()), *text);
}

TEST_F(PedidoCancelamentoTest, PeopleHaveACpf)
{
    PedidoCancelamento of_person = pedido();
    of_person.emitente = "12345678909";
    of_person.ambiente = Ambiente::producao;
    const auto text = make(of_person);
    ASSERT_TRUE(text) << text.error().detail;
    EXPECT_THAT(*text, HasSubstr("<tpAmb>1</tpAmb>"));
    EXPECT_THAT(*text, HasSubstr("<CPFAutor>12345678909</CPFAutor>"));
}

TEST_F(PedidoCancelamentoTest, WhatTheSchemaWouldRefuseIsRefusedHere)
{
    const std::pair<std::string, const char*> cases[] = {
        {"curta demais", "15 to 255 characters, not 12"},
        {"  " + std::string(14, 'a') + "  ", "not 14"},
        {std::string(256, 'a'), "not 256"},
        {"duas linhas\nsão demais aqui", "on one line"},
        {"emoji não é Latin-1 \xf0\x9f\x98\x80", "Latin-1"},
        {"bytes quaisquer \xff\xff\xff", "UTF-8"},
    };
    for (const auto& [why, what] : cases) {
        const auto made = make(pedido(why));
        ASSERT_FALSE(made) << why;
        EXPECT_EQ(made.error().code, Errc::invalid_argument);
        EXPECT_THAT(made.error().detail, HasSubstr(what));
    }
    EXPECT_TRUE(make(pedido("çãõáéíóúâêôÇÃÕü")));
    EXPECT_TRUE(make(pedido(std::string(255, 'a'))));
    PedidoCancelamento keyless = pedido();
    keyless.chave = "NFS1";
    EXPECT_FALSE(make(keyless));
}

}  // namespace
}  // namespace umavez::fiscal::nacional
