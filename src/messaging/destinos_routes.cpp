#include "http/parameters.hpp"
#include "messaging/destinos_actions.hpp"
#include "messaging/documents.hpp"
#include "messaging/routes.hpp"

#include <utility>

namespace umavez::messaging {
namespace {

using http::get_integer;
using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadAction;
using key_protocol::ReadRoute;

constexpr const char* example =
    R"({"id":1,"url":"https://example.com/webhooks","eventos":["fatura.paga"],)"
    R"("created_at":"2026-01-31T12:00:00.000000Z",)"
    R"("segredo":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="})";

http::Route declare(std::string method, std::string pattern, std::string id, std::string summary)
{
    http::Route route{.method = std::move(method), .pattern = std::move(pattern)};
    route.operation_id = std::move(id);
    route.tag = "Destinos";
    route.summary = std::move(summary);
    return route;
}

http::Route declare_one(std::string method, std::string tail, std::string id, std::string summary)
{
    http::Route route = declare(
        std::move(method), "/api/v1/destinos/{id}" + tail, std::move(id), std::move(summary)
    );
    route.path = {
        {.name = "id", .type = http::integer({.min = 1}), .description = "The destination"}
    };
    route.problems = {"not-found"};
    return route;
}

http::Schema eventos_schema()
{
    return http::array_of(http::text({.max = 100, .min = 1}));
}

std::vector<http::Field> destino_fields()
{
    return {
        {.name = "id", .type = http::integer({.min = 1})},
        {.name = "url", .type = http::text({.max = 2000, .format = "uri"})},
        {.name = "eventos", .type = eventos_schema().or_null(), .description = "null: all types"},
        {.name = "created_at", .type = http::date_time()},
    };
}

http::Schema destino_schema()
{
    return http::object(destino_fields()).named("Destino");
}

http::Schema destino_with_secret_schema()
{
    auto fields = destino_fields();
    fields.push_back(
        {.name = "segredo",
         .type = http::text(),
         .description = "signs what is sent (Standard Webhooks); shown here only"}
    );
    return http::object(std::move(fields)).named("DestinoComSegredo");
}

http::Schema entrega_schema()
{
    return http::object({
                            {.name = "id", .type = http::integer({.min = 1})},
                            {.name = "mensagem_id",
                             .type = http::text(),
                             .description = "webhook-id, the same in every attempt"},
                            {.name = "agregado", .type = http::text()},
                            {.name = "tipo", .type = http::text()},
                            {.name = "estado", .type = http::one_of(estado_words())},
                            {.name = "tentativas", .type = http::integer({.min = 0})},
                            {.name = "proximo_em", .type = http::date_time().or_null()},
                            {.name = "ultimo_erro", .type = http::text().or_null()},
                            {.name = "created_at", .type = http::date_time()},
                        })
        .named("Entrega");
}

http::Schema page_of(http::Schema item)
{
    const std::string name = item.name + "Page";
    return http::object({
                            {.name = "itens", .type = http::array_of(std::move(item))},
                            {.name = "proximo",
                             .type = http::text().or_null(),
                             .description = "cursor of the next page; null on the last"},
                        })
        .named(name);
}

OperationSpec operation(std::string name, KeyRule key)
{
    OperationSpec spec{.name = std::move(name)};
    spec.policy.guarantee = Guarantee::atomic;
    spec.policy.key = key;
    return spec;
}

AtomicRoute criar(const outbound::OutboundRule& rule)
{
    http::Route route =
        declare("POST", "/api/v1/destinos", "destinos.criar", "Register a destination");
    route.description =
        "Events that happen from now on are sent there, signed by the rules of Standard Webhooks, "
        "at "
        "least once and in order for each aggregate.";
    route.body = http::Body{
        .schema = http::object({
                                   {.name = "url", .type = http::text({.max = 2000, .min = 1})},
                                   {.name = "eventos",
                                    .type = eventos_schema().or_null(),
                                    .description = "left out: all types",
                                    .required = false},
                               })
                      .named("NovoDestino"),
        .example = R"({"url":"https://example.com/webhooks","eventos":["fatura.paga"]})",
    };
    route.answers = {
        {.status = 201,
         .description = "Created, with its secret",
         .body = destino_with_secret_schema(),
         .example = example}
    };
    route.problems = {"validation", "destinos-demais"};
    return {
        .route = std::move(route),
        .operation = operation("destinos.criar", KeyRule::required),
        .prepare = [rule](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto novo = read_novo_destino(exchange.body, rule, exchange.language);
            if (!novo) return std::unexpected(std::move(novo).error());
            return criar_destino(exchange.caller.tenant_id, *std::move(novo));
        },
    };
}

AtomicRoute remover()
{
    http::Route route = declare_one("DELETE", "", "destinos.remover", "Remove a destination");
    route.description = "What waits for it is cancelled. Removing it again is the same answer.";
    route.answers = {{.status = 204, .description = "Removed, now or before"}};
    return {
        .route = std::move(route),
        .operation = operation("destinos.remover", KeyRule::optional),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            return remover_destino(exchange.caller.tenant_id, get_integer(exchange.request, "id"));
        },
    };
}

AtomicRoute girar()
{
    http::Route route =
        declare_one("POST", "/girar-segredo", "destinos.girar", "Give a destination a new secret");
    route.description =
        "The secret before it goes on signing beside the new one, so that the receiver may change "
        "over "
        "at any time; the one before that is dropped.";
    route.answers = {
        {.status = 200,
         .description = "The destination, with its new secret",
         .body = destino_with_secret_schema(),
         .example = example}
    };
    return {
        .route = std::move(route),
        .operation = operation("destinos.girar", KeyRule::required),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            return girar_segredo(exchange.caller.tenant_id, get_integer(exchange.request, "id"));
        },
    };
}

ReadRoute listar()
{
    http::Route route = declare("GET", "/api/v1/destinos", "destinos.listar", "All destinations");
    route.answers = {
        {.status = 200, .description = "Without secrets", .body = page_of(destino_schema())}
    };
    ReadRoute read{.route = std::move(route)};
    read.prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
        return listar_destinos(exchange.caller.tenant_id);
    };
    return read;
}

ReadRoute mostrar()
{
    http::Route route = declare_one("GET", "", "destinos.mostrar", "One destination");
    route.answers = {{.status = 200, .description = "Without secrets", .body = destino_schema()}};
    ReadRoute read{.route = std::move(route)};
    read.prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
        return mostrar_destino(exchange.caller.tenant_id, get_integer(exchange.request, "id"));
    };
    return read;
}

ReadRoute entregas()
{
    http::Route route =
        declare_one("GET", "/entregas", "destinos.entregas", "What was sent to a destination");
    route.query = {
        {.name = "estado", .type = http::one_of(estado_words()), .required = false},
        {.name = "cursor",
         .type = http::integer({.min = 1}),
         .description = "`proximo` of the page before",
         .required = false},
    };
    route.answers = {
        {.status = 200, .description = "The newest first", .body = page_of(entrega_schema())}
    };
    ReadRoute read{.route = std::move(route)};
    read.prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
        DeliveriesQuery query{.destination_id = get_integer(exchange.request, "id")};
        if (const auto estado = http::find_parameter(exchange.request, "estado")) {
            query.state = parse_estado(*estado);
        }
        query.before = http::find_integer(exchange.request, "cursor");
        return listar_entregas(exchange.caller.tenant_id, std::move(query));
    };
    return read;
}

}  // namespace

void add_routes(key_protocol::Api& api, const outbound::OutboundRule& rule)
{
    api.add(criar(rule));
    api.add(remover());
    api.add(girar());
    api.add(listar());
    api.add(mostrar());
    api.add(entregas());
}

std::vector<http::ProblemKind> problem_kinds()
{
    return {{
        .name = "destinos-demais",
        .status = 409,
        .english =
            {"There are too many destinations",
             "Every event is sent to each destination of its tenant, so their number is limited. "
             "Nothing was changed.",
             "Remove a destination that is not needed any more."},
        .portuguese =
            {"Há destinos demais",
             "Cada evento é enviado a cada destino do inquilino; por isso o número deles é "
             "limitado. "
             "Nada foi alterado.",
             "Remova um destino que não seja mais necessário."},
    }};
}

}  // namespace umavez::messaging
