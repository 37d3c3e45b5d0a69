#include "modules/propostas/answers.hpp"
#include "modules/propostas/propostas_table.hpp"
#include "modules/propostas/route_parts.hpp"

#include <utility>

namespace umavez::propostas {
namespace {

using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadAction;
using key_protocol::ReadRoute;
using modules::id_parameter;
using modules::Listed;
using modules::page_schema;

http::Schema step_schema()
{
    const http::Schema estado = http::one_of(estado_words());
    return http::object({
                            {.name = "versao", .type = http::integer({.min = 1})},
                            {.name = "operacao",
                             .type = http::one_of(
                                 {"criar", "alterar", "submeter", "aceitar", "recusar", "cancelar"}
                             )},
                            {.name = "estado_anterior", .type = estado.or_null()},
                            {.name = "estado", .type = estado},
                            {.name = "valor", .type = http::money()},
                            {.name = "usuario",
                             .type = http::text().or_null(),
                             .description = "X-Usuario of the request, else the label of its token"
                            },
                            {.name = "created_at", .type = http::date_time()},
                        })
        .named("HistoricoStep");
}

Result<OrProblem<http::Response>> run_historico(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    const auto found = find_proposta(transaction, tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return OrProblem<http::Response>{std::unexpected(not_found("proposta", id))};
    const auto steps = list_historico(transaction, tenant_id, id);
    if (!steps) return std::unexpected(steps.error());
    return http::json_response(200, to_json(Listed<HistoricoStep>{*steps, std::nullopt}) + '\n');
}

}  // namespace

ReadRoute historico_route()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/propostas/{id}/historico"};
    route.operation_id = "propostas.historico";
    route.tag = "Propostas";
    route.summary = "How a proposal came to its version, and by whom";
    route.path = {id_parameter("The proposal")};
    route.answers = {
        {.status = 200,
         .description = "From the first version to the last; at most 1000",
         .body = page_schema(step_schema())}
    };
    route.problems = {"not-found"};
    ReadRoute read{.route = std::move(route)};
    read.prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
        return [tenant_id = exchange.caller.tenant_id,
                id = http::get_integer(exchange.request, "id")](Transaction& transaction) {
            return run_historico(transaction, tenant_id, id);
        };
    };
    return read;
}

}  // namespace umavez::propostas
