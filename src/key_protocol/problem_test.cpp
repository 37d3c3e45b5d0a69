// The catalogue, the body of a problem and the pages for people.

#include "http/problem.hpp"

#include "http/problem_pages.hpp"
#include "key_protocol/golden_test.hpp"
#include "key_protocol/problems.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace umavez::key_protocol {
namespace {

const http::ProblemCatalogue& catalogue()
{
    static const http::ProblemCatalogue standard = standard_problems();
    return standard;
}

TEST(ProblemCatalogue, EveryKindHasItsWordsInBothLanguages)
{
    for (const http::ProblemKind& kind : catalogue().kinds()) {
        SCOPED_TRACE(kind.name);
        EXPECT_GE(kind.status, 400);
        EXPECT_LT(kind.status, 600);
        for (const http::Language language :
             {http::Language::english, http::Language::portuguese}) {
            const http::Wording& words = kind.in(language);
            EXPECT_FALSE(words.title.empty());
            EXPECT_FALSE(words.title.ends_with('.'));
            EXPECT_TRUE(words.explanation.ends_with('.'));
            EXPECT_TRUE(words.cure.ends_with('.'));
        }
        EXPECT_NE(kind.english.title, kind.portuguese.title);
    }
}

TEST(ProblemCatalogue, TheContractsProblemsAreThere)
{
    const std::vector<std::pair<std::string, int>> expected{
        {"idempotency-key-invalid", 400},
        {"idempotency-key-missing", 400},
        {"idempotency-key-reused", 409},
        {"idempotency-in-progress", 409},
        {"idempotency-in-doubt", 409},
        {"idempotency-response-not-kept", 409},
        {"store-unavailable", 503},
        {"version-conflict", 409},
        {"validation", 422},
        {"malformed-body", 400},
        {"not-found", 404},
        {"method-not-allowed", 405},
        {"unsupported-media-type", 415},
        {"too-large", 413},
    };
    for (const auto& [name, status] : expected) {
        const http::ProblemKind* const kind = catalogue().find(name);
        ASSERT_NE(kind, nullptr) << name;
        EXPECT_EQ(kind->status, status) << name;
    }
    EXPECT_EQ(catalogue().find("nothing"), nullptr);
}

TEST(ProblemCatalogue, ModulesAddTheirOwn)
{
    http::ProblemCatalogue extended = standard_problems();

    extended.add(
        {.name = "fatura-existente", .status = 409, .english = {"a", "b.", "c."}, .portuguese = {}}
    );

    EXPECT_EQ(extended.get("fatura-existente").english.title, "a");
    EXPECT_EQ(extended.kinds().back().name, "fatura-existente");
}

TEST(ProblemCatalogueDeathTest, ANameTwiceOrUnfitForAPathIsABug)
{
    http::ProblemCatalogue extended = standard_problems();

    EXPECT_DEATH(extended.add({.name = "validation", .english = {}, .portuguese = {}}), "nullptr");
    EXPECT_DEATH(
        extended.add({.name = "../x", .english = {}, .portuguese = {}}), "is_problem_name"
    );
    EXPECT_DEATH(extended.get("nothing"), "nullptr");
}

TEST(ProblemBody, HasMembersInOrderAndTheLanguageOfTheClient)
{
    const http::Problem problem{
        .name = "version-conflict",
        .detail = {"the version is 3", "a versão é 3"},
        .status = 412,
        .members = {http::number_member("versao", 3), http::text_member("quote", "a\"b")},
        .headers = {{"ETag", "\"3\""}},
    };

    const http::Response answer =
        to_response(problem, {catalogue(), http::Language::portuguese, "/a\"b", "r-1"});

    expect_golden("problem-body.txt", answer);
}

TEST(ProblemBody, WithoutADetailItsKindIsExplained)
{
    http::Problem problem{};
    problem.name = "not-found";

    EXPECT_EQ(
        to_response(problem, {catalogue(), http::Language::english, "", "r-1"}).body,
        R"({"type":"/problems/not-found","title":"Nothing is here","status":404,)"
        R"("detail":"The path leads nowhere, or the resource does not exist for your tenant.",)"
        R"("request_id":"r-1"})"
        "\n"
    );
}

TEST(ProblemPages, OneIsPinned)
{
    expect_golden("problem-page.txt", http::problem_page(catalogue().get("idempotency-in-doubt")));
}

TEST(ProblemPages, AllStandOnTheirOwnInBothLanguages)
{
    for (const http::ProblemKind& kind : catalogue().kinds()) {
        const std::string body = http::problem_page(kind).body;
        SCOPED_TRACE(kind.name);
        EXPECT_NE(body.find("<section lang=\"en\">"), std::string::npos);
        EXPECT_NE(body.find("<section lang=\"pt-BR\">"), std::string::npos);
        for (const char* const outside :
             {"http:", "https:", "src=", "url(", "@import", "<script"}) {
            EXPECT_EQ(body.find(outside), std::string::npos) << outside;
        }
    }
}

TEST(ProblemPages, TextsAreEscaped)
{
    const http::Wording hostile{"<b>&\"'", "a `<i>` b `c", "</style>"};
    const std::string body =
        http::problem_page({.name = "x", .english = hostile, .portuguese = hostile}).body;

    EXPECT_NE(body.find("<h2>&lt;b&gt;&amp;&quot;&#39;</h2>"), std::string::npos);
    EXPECT_NE(body.find("<p>a <code>&lt;i&gt;</code> b <code>c</code></p>"), std::string::npos);
    EXPECT_EQ(body.find("</style>"), body.rfind("</style>"));
}

TEST(ProblemPages, TheIndexLinksEveryKind)
{
    const http::Response index = http::problem_index_page(catalogue());

    for (const http::ProblemKind& kind : catalogue().kinds()) {
        EXPECT_NE(
            index.body.find("href=\"" + http::problem_path(kind.name) + "\""), std::string::npos
        );
    }
    EXPECT_EQ(http::find_header(index.headers, "Content-Type"), "text/html; charset=utf-8");
}

TEST(ProblemDocument, NamesEveryProblemOfTheProtocol)
{
    std::stringstream text;
    text << std::ifstream{UMAVEZ_PROTOCOL_DOCUMENT}.rdbuf();
    for (const http::ProblemKind& kind : protocol_problems()) {
        EXPECT_NE(text.str().find("`" + kind.name + "`"), std::string::npos) << kind.name;
    }
}

}  // namespace
}  // namespace umavez::key_protocol
