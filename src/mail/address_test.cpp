// What is an address, and what people are told of one that is none.

#include "mail/address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::mail {
namespace {

using namespace std::string_literals;

std::string reason_of(std::string_view text)
{
    const auto address = normalise_address(text);
    return address ? "valid: " + *address : address.error();
}

TEST(AddressTest, SpacesAndCaseAreNoDifference)
{
    for (const std::string_view text : {
             "ana.silva+x@loja.example",
             "  Ana.Silva+X@LOJA.Example \r\n",
             "\tANA.SILVA+X@loja.EXAMPLE",
             "\ufeffana.silva+x@loja.example\u00a0",
             "\u200bana.silva+x@loja.example\u200b\u2060",
         }) {
        EXPECT_EQ(normalise_address(text), "ana.silva+x@loja.example") << text;
    }
}

TEST(AddressTest, WhatPeopleReallyHave)
{
    for (const std::string text :
         {"a@b.co",
          "1@1.com",
          "o'neil@x.ie",
          "a_b-c%d@sub.dominio.com.br",
          "x@xn--80ak6aa92e.com",
          "a@b--c.example",
          "{a}@b.example",
          "a=b@c.example",
          "a/b@c.example"}) {
        EXPECT_EQ(normalise_address(text), text);
    }
    EXPECT_TRUE(normalise_address(std::string(64, 'a') + "@b.example"));
    EXPECT_TRUE(normalise_address("a@" + std::string(63, 'b') + ".example"));
}

TEST(AddressTest, ReasonsSayWhatIsWrong)
{
    EXPECT_EQ(reason_of(""), "vazio");
    EXPECT_EQ(reason_of(" \u200b "), "vazio");
    EXPECT_EQ(reason_of("ana"), "sem @");
    EXPECT_EQ(reason_of("ana@b@c.example"), "mais de um @");
    EXPECT_EQ(reason_of("@c.example"), "nada antes do @");
    EXPECT_EQ(reason_of("ana@"), "sem domínio depois do @");
    EXPECT_EQ(reason_of("ana@localhost"), "domínio sem ponto");
    EXPECT_EQ(reason_of(".ana@c.example"), "ponto fora de lugar antes do @");
    EXPECT_EQ(reason_of("ana.@c.example"), "ponto fora de lugar antes do @");
    EXPECT_EQ(reason_of("a..b@c.example"), "ponto fora de lugar antes do @");
    EXPECT_EQ(reason_of("\"a b\"@c.example"), "tem espaço no meio");
    EXPECT_EQ(reason_of("\"a@b\"@c.example"), "aspas não são aceitas");
    EXPECT_EQ(reason_of("a,b@c.example"), "caractere que não é aceito antes do @");
    EXPECT_EQ(reason_of("a<b@c.example"), "caractere que não é aceito antes do @");
    EXPECT_EQ(reason_of("a b@c.example"), "tem espaço no meio");
    EXPECT_EQ(reason_of("a\u200b@c.example"), "tem um caractere invisível no meio");
    EXPECT_EQ(reason_of("a\r\nRCPT@c.example"), "tem caracteres de controle");
    EXPECT_EQ(reason_of("a\0b@c.example"s), "tem caracteres de controle");
    EXPECT_EQ(reason_of("joão@c.example"), "tem letras com acento ou de fora do ASCII");
    EXPECT_EQ(reason_of("ana@ação.example"), "tem letras com acento ou de fora do ASCII");
    EXPECT_EQ(reason_of("an\xe1@c.example"), "tem bytes que não são texto (UTF-8)");
}

TEST(AddressTest, DomainsThatCannotBe)
{
    for (const std::string domain :
         {"c..example",
          ".c.example",
          "c.example.",
          "-c.example",
          "c-.example",
          "c_d.example",
          "[127.0.0.1]",
          "127.0.0.1",
          "c.123",
          "c.example>",
          "c,d.example"}) {
        EXPECT_EQ(reason_of("a@" + domain), "domínio inválido") << domain;
    }
    EXPECT_EQ(reason_of("a@" + std::string(64, 'b') + ".example"), "domínio inválido");
}

TEST(AddressTest, Lengths)
{
    EXPECT_EQ(reason_of(std::string(65, 'a') + "@b.example"), "mais de 64 caracteres antes do @");
    std::string domain = "example";
    while (domain.size() < 240) domain = "abcdefgh." + domain;
    const std::string rest(254 - 1 - domain.size(), 'x');
    EXPECT_TRUE(normalise_address(rest + "@" + domain));
    EXPECT_EQ(reason_of(rest + "x@" + domain), "mais de 254 caracteres");
}

TEST(MailboxTest, WithAndWithoutName)
{
    const auto plain = parse_mailbox(" News@Loja.example ");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->name, "");
    EXPECT_EQ(plain->address, "news@loja.example");
    const auto named = parse_mailbox("Loja do João <news@loja.example>");
    ASSERT_TRUE(named);
    EXPECT_EQ(named->name, "Loja do João");
    EXPECT_EQ(named->address, "news@loja.example");
    const auto quoted = parse_mailbox(R"("Loja \"A\", Ltda <x>" <news@loja.example>)");
    ASSERT_FALSE(quoted);  // < inside a name helps only who wants to look like somebody else
    const auto comma = parse_mailbox(R"("Loja \"A\", Ltda" <news@loja.example>)");
    ASSERT_TRUE(comma) << comma.error();
    EXPECT_EQ(comma->name, R"(Loja "A", Ltda)");
    const auto bare = parse_mailbox("<news@loja.example>");
    ASSERT_TRUE(bare);
    EXPECT_EQ(bare->name, "");
}

TEST(MailboxTest, WhatIsNoSender)
{
    for (const std::string text :
         {"",
          "Loja",
          "Loja <>",
          "Loja <news>",
          "news@loja.example>",
          "Loja <a@b.example> x",
          "Loja <a@b.example> <c@d.example>",
          "Lo\r\nBcc: x <a@b.example>",
          "\"Loja\\\" <a@b.example>",
          "a@b.example, c@d.example"}) {
        EXPECT_FALSE(parse_mailbox(text)) << text;
    }
    EXPECT_FALSE(parse_mailbox(std::string(201, 'x') + " <a@b.example>"));
}

TEST(AddressTest, DomainOf)
{
    EXPECT_EQ(domain_of("a@b.example"), "b.example");
    EXPECT_EQ(domain_of("a"), "");
}

}  // namespace
}  // namespace umavez::mail
