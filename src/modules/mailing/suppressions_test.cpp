// The suppression list, and the links that recipients open.

#include "modules/mailing/test_office.hpp"
#include "modules/mailing/unsubscribe.hpp"

#include <gmock/gmock.h>

namespace umavez::mailing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Suppressions, AnAddressIsThereOnceUnderItsFirstReason)
{
    Office office;

    const Answer made = office.send(
        "POST", "/api/v1/supressoes", R"({"email":" Ana@Example.com ","motivo":"pediu"})"
    );
    const Answer again =
        office.send("POST", "/api/v1/supressoes", R"({"email":"ana@example.com"})");
    const Answer wrong = office.send("POST", "/api/v1/supressoes", R"({"email":"ana"})");

    EXPECT_EQ(made.status, 201) << made;
    EXPECT_EQ(made["email"], "ana@example.com");
    EXPECT_EQ(again.status, 200) << again;
    EXPECT_EQ(again.body, made.body);
    EXPECT_EQ(again["motivo"], "pediu");
    EXPECT_EQ(wrong.status, 422) << wrong;
    EXPECT_THAT(
        office.get("/api/v1/supressoes?email=ANA@example.com").body,
        HasSubstr(R"("email":"ana@example.com")")
    );
}

TEST(Suppressions, RemovingOneIsTheSameAnswerWhetherItIsThereOrNot)
{
    Office office;
    office.send("POST", "/api/v1/supressoes", R"({"email":"ana@example.com"})");

    EXPECT_EQ(office.send("DELETE", "/api/v1/supressoes/ANA%40example.com").status, 204);
    EXPECT_EQ(office.send("DELETE", "/api/v1/supressoes/ana@example.com").status, 204);
    EXPECT_EQ(office.get("/api/v1/supressoes").body, "{\"itens\":[],\"proximo\":null}\n");
}

class Unsubscribing : public ::testing::Test {
protected:
    Unsubscribing()
    {
        const std::string id = office_.add_mailing("m1", "PROCESSING", true, "acme");
        office_.add_entry(id, "ana@example.com", "SENT");
        link_ = "/u/" + office_.ask("SELECT id FROM mailing_entries") + "-segredo";
    }
    std::string count() { return office_.ask("SELECT count(*) FROM mailing_suppressions"); }

    Office office_;
    std::string link_;
};

TEST_F(Unsubscribing, GetShowsAButtonAndChangesNothing)
{
    const Answer page = office_.get(link_);

    EXPECT_EQ(page.status, 200) << page;
    EXPECT_THAT(page.body, HasSubstr("<form method=\"post\">"));
    EXPECT_THAT(page.body, HasSubstr("<html lang=\"en\">"));
    EXPECT_THAT(page.header("Content-Security-Policy"), HasSubstr("default-src 'none'"));
    EXPECT_THAT(page.header("X-Robots-Tag"), HasSubstr("noindex"));
    EXPECT_EQ(page.header("Cache-Control"), "no-store");
    EXPECT_THAT(page.body, Not(HasSubstr("example.com")));
    EXPECT_EQ(count(), "0");
}

TEST_F(Unsubscribing, ThePageSpeaksPortugueseToWhoeverAsksForIt)
{
    const Answer page = office_.send("GET", link_, {}, {{"Accept-Language", "pt-BR,pt;q=0.9"}});

    EXPECT_THAT(page.body, HasSubstr("Cancelar inscrição"));
    EXPECT_THAT(page.body, HasSubstr("<html lang=\"pt-BR\">"));
}

TEST_F(Unsubscribing, PostSuppressesOnceHoweverOftenItComes)
{
    const Answer bare = office_.send("POST", link_);
    const Answer form = office_.send("POST", link_, "List-Unsubscribe=One-Click");

    EXPECT_EQ(bare.status, 200) << bare;
    EXPECT_EQ(form.body, bare.body);
    EXPECT_EQ(count(), "1");
    EXPECT_EQ(office_.ask("SELECT tenant_id FROM mailing_suppressions"), "acme");
    EXPECT_EQ(office_.ask("SELECT email FROM mailing_suppressions"), "ana@example.com");
    EXPECT_EQ(office_.ask("SELECT mailing_uuid FROM mailing_suppressions"), "m1");
}

TEST_F(Unsubscribing, ALinkThatNobodyWasSentIsACalmPageAndNothingElse)
{
    const std::string entry = link_.substr(3, link_.find('-') - 3);
    const std::string before = office_.get("/u/1000000-segredo").body;
    for (const std::string& link :
         {"/u/" + entry + "-segred",
          "/u/" + entry + "-segredoo",
          "/u/" + entry + "-",
          "/u/" + entry,
          std::string{"/u/x-segredo"},
          std::string{"/u/-segredo"}}) {
        for (const char* const method : {"GET", "POST"}) {
            const Answer page = office_.send(method, link);
            EXPECT_EQ(page.status, 404) << link;
            EXPECT_EQ(page.body, before) << link;
            EXPECT_THAT(page.header("Content-Type"), HasSubstr("text/html"));
        }
    }
    EXPECT_EQ(count(), "0");
}

TEST(UnsubscribeToken, IsTheNumberOfAnEntryAndItsSecret)
{
    const auto parsed = parse_unsubscribe_token("17-a-b");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->entry_id, 17);
    EXPECT_EQ(parsed->token, "a-b");
    for (const char* const wrong :
         {"", "-", "17", "17-", "-a", "0-a", "-1-a", "1x-a", "99999999999999999999-a"}) {
        EXPECT_FALSE(parse_unsubscribe_token(wrong)) << wrong;
    }
    EXPECT_TRUE(is_same_token("abc", "abc"));
    EXPECT_FALSE(is_same_token("abc", "abd"));
    EXPECT_FALSE(is_same_token("", "abd"));
}

}  // namespace
}  // namespace umavez::mailing
