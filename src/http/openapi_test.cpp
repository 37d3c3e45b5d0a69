// The document against the router: nothing is missing, nothing is made up, every reference leads
// somewhere.

#include "http/openapi.hpp"

#include <boost/json/src.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace umavez::http {
namespace {

namespace json = boost::json;

Task<Response> nothing(Request)
{
    co_return Response{};
}

Schema cliente()
{
    return object({
                      {.name = "id", .type = integer({.min = 1})},
                      {.name = "nome", .type = text({.max = 255})},
                      {.name = "limite", .type = money().or_null(), .required = false},
                  })
        .named("Cliente");
}

Router sample()
{
    Router router;
    router.add("GET", "/healthz", nothing);
    router.add(
        {.method = "POST",
         .pattern = "/api/v1/clientes",
         .operation_id = "clientes.criar",
         .tag = "Clientes",
         .summary = "Create a client",
         .headers = {{.name = "Idempotency-Key", .type = text({.max = 255, .min = 1})}},
         .body = Body{.schema = cliente(), .example = R"({"nome":"Maria"})"},
         .answers =
             {{.status = 201,
               .description = "created",
               .body = cliente(),
               .headers = {{.name = "Location", .type = text()}}}},
         .problems = {"validation", "malformed-request"}},
        nothing
    );
    router.add(
        {.method = "GET",
         .pattern = "/api/v1/clientes",
         .tag = "Clientes",
         .query = {{.name = "limite", .type = integer({.min = 1, .max = 100}), .required = false}},
         .answers = {{.status = 200, .description = "a page", .body = array_of(cliente().or_null())}
         }},
        nothing
    );
    router.add(
        {.method = "GET",
         .pattern = "/u/{token}/{n}",
         .path = {{.name = "n", .type = integer()}},
         .security = Security::open},
        nothing
    );
    return router;
}

json::value document()
{
    return json::parse(to_openapi(sample(), {.title = "umavez", .version = "1.2.3"}));
}

void collect_references(const json::value& value, std::set<std::string>& references)
{
    if (const auto* const object = value.if_object()) {
        for (const auto& [name, member] : *object) {
            if (name == "$ref") references.insert(std::string{member.as_string()});
            collect_references(member, references);
        }
    } else if (const auto* const array = value.if_array()) {
        for (const json::value& item : *array) collect_references(item, references);
    }
}

TEST(OpenApi, HasEveryRouteAndNoOther)
{
    std::vector<std::string> documented;
    std::set<std::string> ids;
    const json::value made = document();
    for (const auto& [path, operations] : made.at("paths").as_object()) {
        for (const auto& [method, operation] : operations.as_object()) {
            std::string upper{method};
            std::ranges::transform(upper, upper.begin(), [](char c) {
                return static_cast<char>(std::toupper(c));
            });
            documented.push_back(upper + " " + std::string{path});
            EXPECT_TRUE(ids.insert(std::string{operation.at("operationId").as_string()}).second);
            EXPECT_FALSE(operation.at("responses").as_object().empty());
        }
    }
    std::ranges::sort(documented);

    EXPECT_EQ(documented, sample().routes());
}

TEST(OpenApi, EveryReferenceLeadsSomewhere)
{
    const json::value made = document();
    std::set<std::string> references;
    collect_references(made, references);

    EXPECT_TRUE(references.contains("#/components/schemas/Cliente"));
    for (const std::string& reference : references) {
        ASSERT_TRUE(reference.starts_with("#/"));
        boost::system::error_code error;
        EXPECT_NE(made.find_pointer(reference.substr(1), error), nullptr) << reference;
    }
}

TEST(OpenApi, DescribesAnOperation)
{
    const json::value made = document();
    const json::value& create = made.at_pointer("/paths/~1api~1v1~1clientes/post");

    EXPECT_EQ(made.at("openapi"), "3.1.0");
    EXPECT_EQ(create.at("operationId"), "clientes.criar");
    EXPECT_EQ(
        create.at("parameters"),
        json::parse(R"([{"name":"Idempotency-Key","in":"header","required":true,
                         "schema":{"type":"string","minLength":1,"maxLength":255}}])")
    );
    EXPECT_EQ(
        create.at_pointer("/requestBody/content/application~1json/schema/$ref"),
        "#/components/schemas/Cliente"
    );
    EXPECT_EQ(create.at_pointer("/responses/201/description"), "created");
    EXPECT_TRUE(create.at("responses").as_object().contains("422"));
    EXPECT_TRUE(
        create.at_pointer("/responses/400/content").as_object().contains("application/problem+json")
    );
}

TEST(OpenApi, AnUploadIsAFormWithAFileOrTheFileItself)
{
    Router router;
    Route upload{.method = "POST", .pattern = "/files"};
    upload.body = Body{
        .schema = object({{.name = "file", .type = text({.format = "binary"})}}),
        .media_types = {"multipart/form-data"},
        .raw_media_types = {"text/csv"},
        .spooled_bytes_max = 1000,
    };
    router.add(std::move(upload), nothing);
    const json::value made = json::parse(to_openapi(router, {.title = "umavez", .version = "1"}));
    const json::value& content = made.at_pointer("/paths/~1files/post/requestBody/content");

    EXPECT_EQ(content.at_pointer("/multipart~1form-data/schema/properties/file/format"), "binary");
    EXPECT_EQ(
        content.at_pointer("/text~1csv/schema"),
        json::parse(R"({"type":"string","format":"binary"})")
    );
    const auto& answers = made.at_pointer("/paths/~1files/post/responses").as_object();
    EXPECT_TRUE(answers.contains("413"));
    EXPECT_TRUE(answers.contains("503"));
}

TEST(OpenApi, PathParametersAreThereWithoutADeclaration)
{
    const json::value made = document();
    const json::value& show = made.at_pointer("/paths/~1u~1{token}~1{n}/get");

    EXPECT_EQ(show.at_pointer("/parameters/0/name"), "token");
    EXPECT_EQ(show.at_pointer("/parameters/1/schema/type"), "integer");
    EXPECT_EQ(show.at("security"), json::array{});
    EXPECT_EQ(show.at("operationId"), "get.u.token.n");
}

}  // namespace
}  // namespace umavez::http
