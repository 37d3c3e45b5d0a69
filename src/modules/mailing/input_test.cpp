// What may be said of a message, and what keeps one from being sent.

#include "modules/mailing/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

using ::testing::HasSubstr;

// The first field that is refused of a body.
std::string refused(const std::string& body)
{
    const auto tree = JsonTree::parse(body);
    if (!tree) return "not JSON";
    const auto changes = read_message_changes(&*tree, http::Language::english);
    if (changes) return "";
    for (const http::Member& member : changes.error().members) {
        if (member.name == "errors") return member.json;
    }
    return "?";
}

std::string faults(const Message& message, const KnownNames& known)
{
    std::string fields;
    for (const FieldError& fault : find_faults(message, known)) fields += fault.field + " ";
    return fields;
}

TEST(MessageInput, ADraftMayBeChangedInParts)
{
    const auto tree =
        JsonTree::parse(R"({"assunto":"Olá {{nome}}","html":"","incerteza":"ao-menos-uma"})");
    const auto changes = read_message_changes(&*tree, http::Language::english);

    ASSERT_TRUE(changes);
    EXPECT_EQ(changes->assunto, "Olá {{nome}}");
    EXPECT_EQ(changes->html, "");
    EXPECT_FALSE(changes->texto);
    EXPECT_EQ(changes->incerteza, Incerteza::ao_menos_uma);
    const Message message = changed({"a", "b@example.com", "c", "d"}, *changes);
    EXPECT_EQ(message, (Message{"Olá {{nome}}", "b@example.com", "c", ""}));
}

TEST(MessageInput, WhatIsWrongIsToldByField)
{
    EXPECT_THAT(
        refused(R"({"assunto":"a\r\nBcc: x@example.com"})"), HasSubstr(R"("field":"assunto")")
    );
    EXPECT_THAT(refused(R"({"remetente":"nobody"})"), HasSubstr(R"("field":"remetente")"));
    EXPECT_THAT(refused(R"({"texto":"{{nome"})"), HasSubstr(R"("field":"texto")"));
    EXPECT_THAT(refused(R"({"html":7})"), HasSubstr(R"("field":"html")"));
    EXPECT_THAT(refused(R"({"incerteza":"talvez"})"), HasSubstr(R"("field":"incerteza")"));
    EXPECT_THAT(refused(R"({"asunto":"x"})"), HasSubstr(R"("field":"asunto")"));
    EXPECT_THAT(refused("{}"), HasSubstr("at least one of"));
    EXPECT_EQ(refused(R"({"remetente":"Loja <news@loja.example>"})"), "");
}

TEST(MessageInput, AMessageIsWholeWithASenderASubjectAndAPart)
{
    const KnownNames known{.columns = {"email", "nome"}, .has_public_url = true};
    const Message whole{"Olá {{NOME}}", "a@example.com", "{{email}} {{descadastro}}", ""};

    EXPECT_EQ(faults(whole, known), "");
    EXPECT_EQ(faults({}, known), "assunto remetente texto ");
    EXPECT_EQ(faults(whole, {.columns = {"email", "nome"}}), "texto ");
    EXPECT_EQ(faults({"a", "nobody", "b", ""}, known), "remetente ");
    EXPECT_EQ(faults({"{{x}}", "a@example.com", "", "{{y}}"}, known), "assunto html ");
}

}  // namespace
}  // namespace umavez::mailing
