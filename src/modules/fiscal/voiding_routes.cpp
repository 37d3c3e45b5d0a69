// Numbers that were never used are given up.

#include "modules/fiscal/answers.hpp"
#include "modules/fiscal/input.hpp"
#include "modules/fiscal/schemas.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::fiscal {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;

http::Schema nova_schema()
{
    return http::object({
                            {.name = "tipo", .type = http::one_of(tipo_words())},
                            {.name = "ambiente", .type = http::one_of(ambiente_words())},
                            {.name = "emitente", .type = http::text()},
                            {.name = "serie", .type = http::text({.max = 5})},
                            {.name = "numero_inicial", .type = http::integer({.min = 1})},
                            {.name = "numero_final",
                             .type = http::integer({.min = 1}),
                             .description = "the first one alone, without it",
                             .required = false},
                            {.name = "justificativa",
                             .type =
                                 http::text({.max = justificativa_max, .min = justificativa_min})},
                        })
        .named("NovaInutilizacao");
}

http::Schema inutilizacao_schema()
{
    return http::object({
                            {.name = "sucesso", .type = http::boolean()},
                            {.name = "documentos", .type = http::array_of(documento_schema())},
                            {.name = "origem", .type = http::one_of(origem_words())},
                            {.name = "effect", .type = http::text(), .required = false},
                        })
        .named("Inutilizacao");
}

Task<OrProblem<http::Response>> post(std::shared_ptr<Counter> counter, const Exchange& exchange)
{
    auto nova = read_inutilizacao(
        counter->module(), exchange.body, exchange.caller.tenant_id, exchange.language
    );
    if (!nova) co_return std::unexpected(nova.error());
    if (!has_voiding(nova->serie.tipo)) co_return std::unexpected(no_voiding(nova->serie.tipo));
    auto voiding = counter->void_numbers(exchange.caller.tenant_id, *std::move(nova));
    co_return co_await std::move(voiding);
}

}  // namespace

void add_voiding_routes(key_protocol::Api& api, const std::shared_ptr<Counter>& counter)
{
    http::Route route{.method = "POST", .pattern = "/api/v1/documentos-fiscais/inutilizacoes"};
    route.operation_id = "documentos.inutilizar";
    route.tag = tag();
    route.summary = "Void numbers that were never used";
    route.description =
        "SEFAZ (`nfe`, `nfce`) has such a service, the other authorities need none. Each number is "
        "voided by a request of its own, once; safe to retry without a key. Numbers that have to "
        "be "
        "voided are listed under /api/v1/numeracao/inutilizaveis. A number in doubt is never "
        "voided.";
    route.body = http::Body{
        .schema = nova_schema(),
        .example =
            R"({"tipo":"nfe","ambiente":"homologacao","emitente":"00574753000100","serie":"1",)"
            R"("numero_inicial":12,"numero_final":14,"justificativa":"Falha do sistema de vendas"})",
    };
    for (const auto& [status, description] :
         {std::pair{200, "Voided, now or before"}, std::pair{202, "Asked for; nobody knows yet"}}) {
        route.answers.push_back(
            {.status = status, .description = description, .body = inutilizacao_schema()}
        );
    }
    route.problems = {
        "validation",
        "idempotency-in-progress",
        "inutilizacao-nao-oferecida",
        "inutilizacao-recusada",
        "numeros-nao-inutilizaveis",
        "autoridade-indisponivel",
        "autoridade-bloqueada",
        "autoridade-nao-configurada",
        "store-unavailable",
    };
    api.add(CallRoute{
        .route = std::move(route),
        .role = access::Role::writer,
        .call = [counter](const Exchange& exchange) { return post(counter, exchange); },
    });
}

}  // namespace umavez::fiscal
