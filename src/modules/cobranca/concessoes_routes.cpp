#include "modules/cobranca/answers.hpp"
#include "modules/cobranca/concessoes_table.hpp"
#include "modules/cobranca/schemas.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::cobranca {
namespace {

using key_protocol::ReadRoute;

constexpr const char* example =
    R"({"id":1,"fatura_id":1,"assinatura_id":1,"competencia":"2026-01",)"
    R"("created_at":"2026-01-31T12:00:00.000000Z"})";

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/concessoes/{id}"};
    route.operation_id = "concessoes.mostrar";
    route.tag = tag();
    route.summary = "What one paid invoice grants";
    route.path = {modules::id_parameter("The concession")};
    route.answers = {
        {.status = 200,
         .description = "The concession",
         .body = concessao_schema(),
         .example = example},
    };
    route.problems = {"not-found"};
    return modules::showing(std::move(route), "concessao", find_concessao);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/concessoes"};
    route.operation_id = "concessoes.listar";
    route.tag = tag();
    route.summary = "What paid invoices grant, page by page";
    route.query = modules::page_parameters();
    for (const char* const name : {"fatura_id", "assinatura_id"}) {
        route.query.push_back({.name = name, .type = http::integer({.min = 1}), .required = false});
    }
    route.answers = {modules::page_answer(concessao_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        return ConcessaoFilter{
            .fatura_id = http::find_integer(request, "fatura_id"),
            .assinatura_id = http::find_integer(request, "assinatura_id"),
        };
    };
    return modules::listing(std::move(route), read_filter, list_concessoes);
}

}  // namespace

void add_concessao_routes(key_protocol::Api& api)
{
    api.add(mostrar());
    api.add(listar());
}

}  // namespace umavez::cobranca
