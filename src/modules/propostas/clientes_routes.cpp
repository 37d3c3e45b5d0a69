#include "modules/propostas/answers.hpp"
#include "modules/propostas/clientes_service.hpp"
#include "modules/propostas/clientes_table.hpp"
#include "modules/propostas/route_parts.hpp"

#include <utility>

namespace umavez::propostas {
namespace {

using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadRoute;
using modules::id_parameter;
using modules::listing;
using modules::origin_of;
using modules::page_answer;
using modules::page_parameters;
using modules::showing;

constexpr const char* example =
    R"({"id":1,"nome":"João Silva","email":"joao@example.com","documento":"123.456.789-00",)"
    R"("idempotencia_key":"client-001","created_at":"2026-01-31T12:00:00.000000Z",)"
    R"("updated_at":"2026-01-31T12:00:00.000000Z"})";

std::vector<http::Field> input_fields(bool is_change)
{
    return {
        {.name = "nome", .type = http::text({.max = 255, .min = 1}), .required = !is_change},
        {.name = "email",
         .type = http::text({.max = 255, .format = "email"}),
         .description = "Unique, compared letter by letter",
         .required = !is_change},
        {.name = "documento", .type = http::text({.max = 20}).or_null(), .required = false},
    };
}

AtomicRoute criar()
{
    http::Route route{.method = "POST", .pattern = "/api/v1/clientes"};
    route.operation_id = "clientes.criar";
    route.tag = "Clientes";
    route.summary = "Create a client";
    route.description =
        "A retry with the same key shows the client as it is now, even if its body differs.";
    route.body = http::Body{
        .schema = http::object(input_fields(false)).named("NovoCliente"),
        .example =
            R"({"nome":"João Silva","email":"joao@example.com","documento":"123.456.789-00"})"
    };
    route.answers = {
        {.status = 201, .description = "Created", .body = cliente_schema(), .example = example},
        {.status = 200, .description = "Replayed: the client as it is now", .body = cliente_schema()
        },
    };
    route.problems = {"validation", "email-existente", "entity-deleted"};
    return {
        .route = std::move(route),
        .operation = clientes_criar(),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto novo = read_novo_cliente(exchange.body, exchange.language);
            if (!novo) return std::unexpected(std::move(novo).error());
            return criar_cliente(origin_of(exchange), *std::move(novo));
        },
    };
}

AtomicRoute alterar(const Settings& settings)
{
    http::Route route{.method = "PATCH", .pattern = "/api/v1/clientes/{id}"};
    route.operation_id = "clientes.alterar";
    route.tag = "Clientes";
    route.summary = "Change a client";
    route.description =
        "Members that are left out stay as they are; a null takes `documento` away.";
    route.path = {id_parameter("The client")};
    route.body = http::Body{
        .schema = http::object(input_fields(true)).named("ClienteChanges"),
        .example = R"({"nome":"João da Silva"})"
    };
    route.answers = {
        {.status = 200,
         .description = "The client as it is now",
         .body = cliente_schema(),
         .example = example}
    };
    route.problems = {"validation", "not-found", "email-existente", "entity-deleted"};
    return {
        .route = std::move(route),
        .operation = clientes_alterar(settings),
        .prepare = [retention = settings.retencao_operacoes](const Exchange& exchange
                   ) -> OrProblem<AtomicAction> {
            auto changes = read_cliente_changes(exchange.body, exchange.language);
            if (!changes) return std::unexpected(std::move(changes).error());
            const std::int64_t id = http::get_integer(exchange.request, "id");
            return alterar_cliente(origin_of(exchange), id, *std::move(changes), retention);
        },
    };
}

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/clientes/{id}"};
    route.operation_id = "clientes.mostrar";
    route.tag = "Clientes";
    route.summary = "One client";
    route.path = {id_parameter("The client")};
    route.answers = {
        {.status = 200, .description = "The client", .body = cliente_schema(), .example = example}
    };
    route.problems = {"not-found"};
    return showing(std::move(route), "cliente", find_cliente);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/clientes"};
    route.operation_id = "clientes.listar";
    route.tag = "Clientes";
    route.summary = "Clients, page by page";
    route.query = page_parameters();
    route.query.push_back(
        {.name = "email",
         .type = http::text({.max = 255}),
         .description = "Only the client with this address",
         .required = false}
    );
    route.answers = {page_answer(cliente_schema())};
    route.problems = {"validation"};
    const auto read_email = [](const http::Request& request) {
        const auto email = http::find_parameter(request, "email");
        return email ? std::optional<std::string>{*email} : std::nullopt;
    };
    return listing(std::move(route), read_email, list_clientes);
}

}  // namespace

void add_cliente_routes(key_protocol::Api& api, const Settings& settings)
{
    api.add(criar());
    api.add(alterar(settings));
    api.add(mostrar());
    api.add(listar());
}

}  // namespace umavez::propostas
