#include "http/docs_page.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

Router sample()
{
    Router router;
    const Handler nothing = [](Request) { return Task<Response>::ready(Response{}); };
    const Schema item = object({{.name = "valor", .type = money(), .description = "`<b>` exact"}});
    router.add(
        {.method = "POST",
         .pattern = "/api/v1/coisas/{id}",
         .operation_id = "coisas.criar",
         .tag = "Coisas",
         .summary = "Make <one>",
         .path = {{.name = "id", .type = integer({.min = 1})}},
         .body = Body{.schema = object({{.name = "itens", .type = array_of(item)}})},
         .answers = {{.status = 201, .description = "made", .example = R"({"a":"<"})"}},
         .problems = {"validation"}},
        nothing
    );
    router.add({.method = "GET", .pattern = "/hidden"}, nothing);
    return router;
}

TEST(DocsPage, ShowsRoutesTheirMembersAndTheirProblems)
{
    const std::string body = docs_page(sample(), {.title = "umavez", .version = "1"}).body;

    for (const char* const part :
         {"<details id=\"coisas.criar\">",
          "<code>/api/v1/coisas/{id}</code>",
          "<code>itens[].valor</code>",
          "an integer of at least 1",
          "href=\"/problems/validation\"",
          "<h2 id=\"tag-Coisas\">"}) {
        EXPECT_NE(body.find(part), std::string::npos) << part;
    }
    EXPECT_EQ(body.find("/hidden"), std::string::npos);
}

TEST(DocsPage, LoadsNothingFromElsewhereAndEscapes)
{
    const Response page = docs_page(sample(), {.title = "a & b", .version = "<1>"});

    EXPECT_NE(page.body.find("Make &lt;one&gt;"), std::string::npos);
    EXPECT_NE(page.body.find("{&quot;a&quot;:&quot;&lt;&quot;}"), std::string::npos);
    EXPECT_EQ(page.body.find("<b>"), std::string::npos);
    for (const std::string& text : {page.body, docs_style().body, docs_script().body}) {
        for (const char* const outside : {"http:", "https:", "//", "@import", "url("}) {
            const std::size_t found = text.find(outside);
            const bool is_comment = found != std::string::npos && text.substr(found, 3) == "// ";
            EXPECT_TRUE(found == std::string::npos || is_comment) << outside;
        }
    }
    EXPECT_EQ(
        find_header(page.headers, "Content-Security-Policy"),
        "default-src 'none'; style-src 'self'; script-src 'self'"
    );
}

}  // namespace
}  // namespace umavez::http
