#include "modules/cobranca/answers.hpp"
#include "modules/cobranca/assinaturas_table.hpp"
#include "modules/cobranca/operations.hpp"
#include "modules/cobranca/schemas.hpp"
#include "modules/cobranca/service.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::cobranca {
namespace {

using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadRoute;

constexpr const char* example =
    R"({"id":1,"cliente":"joao@example.com","plano":"ouro","valor":300.00,"ciclo":"mensal",)"
    R"("estado":"ativa","versao":1,"created_at":"2026-01-31T12:00:00.000000Z",)"
    R"("updated_at":"2026-01-31T12:00:00.000000Z"})";

constexpr const char* changed_example =
    R"({"id":1,"cliente":"joao@example.com","plano":"ouro","valor":300.00,"ciclo":"mensal",)"
    R"("estado":"suspensa","versao":2,"created_at":"2026-01-31T12:00:00.000000Z",)"
    R"("updated_at":"2026-02-01T12:00:00.000000Z"})";

http::Field plano_field(bool is_required)
{
    return {
        .name = "plano",
        .type = http::text({.max = plano_max, .min = 1}),
        .required = is_required,
    };
}

http::Field valor_field(bool is_required)
{
    return {
        .name = "valor",
        .type = http::money(),
        .description = "Of each invoice, at least 0.01",
        .required = is_required,
    };
}

AtomicRoute criar()
{
    http::Route route{.method = "POST", .pattern = "/api/v1/assinaturas"};
    route.operation_id = "assinaturas.criar";
    route.tag = tag();
    route.summary = "Create a subscription";
    route.description = "It begins in `ativa` with `versao` 1.";
    route.body = http::Body{
        .schema = http::object({
                                   {.name = "cliente",
                                    .type = http::text({.max = cliente_max, .min = 1}),
                                    .description = "Who subscribes, in words of your own"},
                                   plano_field(true),
                                   valor_field(true),
                                   {.name = "ciclo", .type = http::one_of(ciclo_words())},
                               })
                      .named("NovaAssinatura"),
        .example =
            R"({"cliente":"joao@example.com","plano":"ouro","valor":300.00,"ciclo":"mensal"})"
    };
    route.answers = {versioned_answer(201, "Created", assinatura_schema(), example)};
    route.problems = {"validation"};
    return {
        .route = std::move(route),
        .operation = assinaturas_criar(),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto nova = read_nova_assinatura(exchange.body, exchange.language);
            if (!nova) return std::unexpected(std::move(nova).error());
            return criar_assinatura(modules::origin_of(exchange), *std::move(nova));
        },
    };
}

OrProblem<AtomicAction> prepare_alterar(const Exchange& exchange)
{
    auto changes = read_assinatura_changes(exchange.body, exchange.language);
    if (!changes) return std::unexpected(std::move(changes).error());
    auto expected = key_protocol::read_expected_version(
        exchange.request.headers, changes->versao, exchange.language
    );
    if (!expected) return std::unexpected(std::move(expected).error());
    return alterar_assinatura(
        modules::origin_of(exchange),
        http::get_integer(exchange.request, "id"),
        *std::move(changes),
        *std::move(expected)
    );
}

AtomicRoute alterar()
{
    http::Route route{.method = "PATCH", .pattern = "/api/v1/assinaturas/{id}"};
    route.operation_id = "assinaturas.alterar";
    route.tag = tag();
    route.summary = "Change a subscription";
    route.description =
        "Members that are left out stay as they are. `ativa` and `suspensa` lead to each other and "
        "to `cancelada`, after which nothing changes any more. Invoices that are there keep their "
        "`valor`.";
    route.path = {modules::id_parameter("The subscription")};
    route.body = http::Body{
        .schema = http::object({
                                   plano_field(false),
                                   valor_field(false),
                                   {.name = "estado",
                                    .type = http::one_of(estado_assinatura_words()),
                                    .required = false},
                                   modules::versao_field(),
                               })
                      .named("AssinaturaChanges"),
        .example = R"({"estado":"suspensa","versao":1})"
    };
    route.headers = {modules::if_match_field()};
    route.answers = {versioned_answer(
        200, "The subscription as it is then", assinatura_schema(), changed_example
    )};
    route.problems = {"validation", "not-found", "version-conflict", "invalid-transition"};
    return {
        .route = std::move(route), .operation = assinaturas_alterar(), .prepare = prepare_alterar
    };
}

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/assinaturas/{id}"};
    route.operation_id = "assinaturas.mostrar";
    route.tag = tag();
    route.summary = "One subscription";
    route.path = {modules::id_parameter("The subscription")};
    route.answers = {versioned_answer(200, "The subscription", assinatura_schema(), example)};
    route.problems = {"not-found"};
    return modules::showing(std::move(route), "assinatura", find_assinatura);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/assinaturas"};
    route.operation_id = "assinaturas.listar";
    route.tag = tag();
    route.summary = "Subscriptions, page by page";
    route.query = modules::page_parameters();
    route.query.push_back(
        {.name = "cliente", .type = http::text({.max = cliente_max}), .required = false}
    );
    route.query.push_back(
        {.name = "estado", .type = http::one_of(estado_assinatura_words()), .required = false}
    );
    route.answers = {modules::page_answer(assinatura_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        AssinaturaFilter filter;
        if (const auto cliente = http::find_parameter(request, "cliente")) {
            filter.cliente = std::string{*cliente};
        }
        if (const auto estado = http::find_parameter(request, "estado")) {
            filter.estado = parse_estado_assinatura(*estado);
        }
        return filter;
    };
    return modules::listing(std::move(route), read_filter, list_assinaturas);
}

}  // namespace

void add_assinatura_routes(key_protocol::Api& api)
{
    api.add(criar());
    api.add(alterar());
    api.add(mostrar());
    api.add(listar());
}

}  // namespace umavez::cobranca
