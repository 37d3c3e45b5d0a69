// Bodies as clients send them: what is accepted, and that what is wrong is named.

#include "modules/propostas/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::propostas {
namespace {

constexpr auto english = http::Language::english;

// The document stays where a tree can borrow it.
struct Body {
    explicit Body(std::string document) : text(std::move(document)), tree(JsonTree::parse(text)) {}
    const JsonTree* get() const { return &*tree; }

    std::string text;
    Result<JsonTree> tree;
};

template <typename T>
std::string errors_of(const Read<T>& read)
{
    return read ? "" : read.error().members.at(0).json;
}

TEST(Input, AClientIsReadWithAndWithoutADocument)
{
    const Body body{
        R"({"nome":"João Silva","email":"joao@example.com","documento":"123.456.789-00"})"
    };
    const auto cliente = read_novo_cliente(body.get(), english);
    ASSERT_TRUE(cliente) << errors_of(cliente);
    EXPECT_EQ(cliente->nome, "João Silva");
    EXPECT_EQ(cliente->email, "joao@example.com");
    EXPECT_EQ(cliente->documento, "123.456.789-00");

    const Body bare{R"({"nome":"Ana","email":"ana@example.com","documento":null})"};
    const auto other = read_novo_cliente(bare.get(), english);
    ASSERT_TRUE(other) << errors_of(other);
    EXPECT_EQ(other->documento, std::nullopt);
}

TEST(Input, EveryWrongFieldOfAClientIsNamed)
{
    const Body body{R"({"email":"nobody","documento":"123456789012345678901"})"};

    EXPECT_EQ(
        errors_of(read_novo_cliente(body.get(), english)),
        R"([{"field":"nome","message":"is missing"},)"
        R"({"field":"email","message":"must be an address such as maria@example.com"},)"
        R"({"field":"documento","message":"has 21 characters, at most 20 are allowed"}])"
    );
}

TEST(Input, AChangeOfAClientKeepsWhatItDoesNotName)
{
    const Body body{R"({"documento":null})"};
    const auto changes = read_cliente_changes(body.get(), english);

    ASSERT_TRUE(changes);
    EXPECT_FALSE(changes->nome || changes->email);
    ASSERT_TRUE(changes->documento);
    EXPECT_EQ(*changes->documento, std::nullopt);
    EXPECT_THAT(
        errors_of(read_cliente_changes(nullptr, english)), ::testing::HasSubstr("at least one of")
    );
    const Body emptied{R"({"nome":null})"};
    EXPECT_THAT(
        errors_of(read_cliente_changes(emptied.get(), english)), ::testing::HasSubstr("nome")
    );
}

TEST(Input, AProposalTakesAnExactAmount)
{
    const Body body{R"({"cliente_id":1,"valor":1500.00})"};
    const auto proposta = read_nova_proposta(body.get(), english);
    ASSERT_TRUE(proposta);
    EXPECT_EQ(proposta->cliente_id, 1);
    EXPECT_EQ(proposta->valor.text(), "1500.00");

    const Body wrong{R"({"cliente_id":"1","valor":"1500.00"})"};
    EXPECT_EQ(
        errors_of(read_nova_proposta(wrong.get(), english)),
        R"([{"field":"cliente_id","message":"must be an integer from 1 to 999999999999999999"},)"
        R"({"field":"valor","message":"must be a number such as 1500.00, without quotes"}])"
    );
}

TEST(Input, TheVersionMayBeAbsentButNotWrong)
{
    EXPECT_EQ(modules::read_versao(nullptr, english).value(), std::nullopt);
    const Body body{R"({"versao":3})"};
    EXPECT_EQ(modules::read_versao(body.get(), english).value(), 3);
    const Body zero{R"({"versao":0})"};
    EXPECT_FALSE(modules::read_versao(zero.get(), english));
}

TEST(Input, AddressesAreJudgedByTheirShape)
{
    for (const char* const good :
         {"joao@example.com",
          "a@b",
          "maria+teste@sub.example.com.br",
          "joão@exemplo.com.br",
          "o'hara@example.com"}) {
        EXPECT_TRUE(is_email(good)) << good;
    }
    for (const char* const bad :
         {"",
          "@",
          "nobody",
          "a@",
          "@b",
          "a@b@c",
          "a b@c.d",
          "a@b c",
          ".a@b.c",
          "a.@b.c",
          "a..b@c.d",
          "a@.b",
          "a@b.",
          "a@b..c",
          "a@b,c@d",
          "<a@b.c>",
          "\"a\"@b.c",
          "a@b.c\n",
          "a\u200b@b.c"}) {
        EXPECT_FALSE(is_email(bad)) << bad;
    }
}

}  // namespace
}  // namespace umavez::propostas
