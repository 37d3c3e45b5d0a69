#include "messaging/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::messaging {
namespace {

using testing::HasSubstr;

struct Read {
    std::optional<NovoDestino> novo;
    std::string errors;
};

Read read(const std::string& body, const outbound::OutboundRule& rule = {}, bool portuguese = false)
{
    const auto tree = JsonTree::parse(body);
    const auto language = portuguese ? http::Language::portuguese : http::Language::english;
    auto novo = read_novo_destino(&*tree, rule, language);
    if (novo) return {*std::move(novo), ""};
    EXPECT_EQ(novo.error().name, "validation");
    return {std::nullopt, novo.error().members.at(0).json};
}

TEST(InputTest, AllEventsUnlessToldOtherwise)
{
    EXPECT_TRUE(read(R"({"url":"https://example.com/"})").novo->eventos.empty());
    EXPECT_TRUE(read(R"({"url":"https://example.com/","eventos":null})").novo->eventos.empty());
    const auto some =
        read(R"({"url":"https://example.com/","eventos":["fatura.paga","a_b-1","fatura.paga"]})");
    ASSERT_TRUE(some.novo) << some.errors;
    EXPECT_EQ(some.novo->eventos, (std::vector<std::string>{"fatura.paga", "a_b-1"}));
}

TEST(InputTest, MistakesNameTheirField)
{
    const std::pair<const char*, const char*> wrong[] = {
        {R"({})", R"("url")"},
        {R"({"url":1})", R"("url")"},
        {R"({"url":"ftp://example.com/"})", "must begin with"},
        {R"({"url":"http://127.0.0.1/"})", "must be on the internet"},
        {R"({"url":"http://localhost:8080/"})", "must be on the internet"},
        {R"({"url":"http://[fd00::1]/"})", "must be on the internet"},
        {R"({"url":"https://example.com/","eventos":"fatura.paga"})", R"("eventos")"},
        {R"({"url":"https://example.com/","eventos":[]})", R"("eventos")"},
        {R"({"url":"https://example.com/","eventos":["ok","Fatura Paga"]})", R"("eventos[1]")"},
        {R"({"url":"https://example.com/","eventos":[7]})", R"("eventos[0]")"},
        {R"({"url":"https://example.com/","evento":["a"]})", R"("evento")"},
    };
    for (const auto& [body, word] : wrong) {
        const Read got = read(body);
        EXPECT_FALSE(got.novo) << body;
        EXPECT_THAT(got.errors, HasSubstr(word)) << body;
    }
    EXPECT_TRUE(read(R"({"url":"http://127.0.0.1/"})", {.allow_private = true}).novo);
}

TEST(InputTest, EveryMistakeOfAUrlIsToldInPortugueseToo)
{
    for (const std::string url :
         {"https://exämple.com/",
          "ftp://x/",
          "https://",
          "https://a/#b",
          "https://u@a/",
          "https://a:0/"}) {
        const std::string body = R"({"url":")" + url + R"("})";
        EXPECT_NE(read(body).errors, read(body, {}, true).errors) << url;
    }
}

TEST(InputTest, TypesOfEvents)
{
    EXPECT_TRUE(is_event_type("fatura.paga"));
    EXPECT_TRUE(is_event_type(std::string(100, 'a')));
    for (const std::string wrong : {"", "Fatura", "a b", "fatura,paga", "ç"}) {
        EXPECT_FALSE(is_event_type(wrong)) << wrong;
    }
    EXPECT_FALSE(is_event_type(std::string(101, 'a')));
}

}  // namespace
}  // namespace umavez::messaging
