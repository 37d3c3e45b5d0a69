#include "http/parameters.hpp"
#include "mail/address.hpp"
#include "modules/mailing/answers.hpp"
#include "modules/mailing/input.hpp"
#include "modules/mailing/module_routes.hpp"
#include "modules/mailing/operations.hpp"
#include "modules/mailing/schemas.hpp"
#include "modules/mailing/suppressions_table.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::mailing {
namespace {

using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadRoute;

constexpr const char* example = R"({"email":"ana@example.com","motivo":"pedido","mailingId":null,)"
                                R"("createdAt":"2026-01-31T12:00:00.000000Z"})";

// As the list has it; what is no address is in no list.
std::string normalised(std::string_view email)
{
    return mail::normalise_address(email).value_or(std::string{email});
}

AtomicRoute criar()
{
    http::Route route = declare(
        "POST", "/api/v1/supressoes", "supressoes.criar", "Send nothing more to an address"
    );
    route.description =
        "Looked at before each mail is handed over, of mailings that are under way too. Of an "
        "address "
        "that is there already the first reason stays.";
    route.body = http::Body{
        .schema = http::object({
                                   {.name = "email", .type = http::text({.format = "email"})},
                                   {.name = "motivo",
                                    .type = http::text({.max = motivo_max, .min = 1}),
                                    .description = "`pedido` unless told",
                                    .required = false},
                               })
                      .named("NovaSupressao"),
        .example = R"({"email":"ana@example.com","motivo":"pediu por telefone"})",
    };
    route.answers = {
        {.status = 201, .description = "Added", .body = suppression_schema(), .example = example},
        {.status = 200, .description = "It was there", .body = suppression_schema()},
    };
    route.problems = {"validation"};
    return {
        .route = std::move(route),
        .operation = supressoes_criar(),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto nova = read_nova_supressao(exchange.body, exchange.language);
            if (!nova) return std::unexpected(std::move(nova).error());
            return [tenant_id = exchange.caller.tenant_id,
                    nova = *std::move(nova)](Transaction& transaction) -> Answered {
                const auto added = suppress(transaction, tenant_id, nova.email, nova.motivo);
                if (!added) return std::unexpected(added.error());
                return to_response(*added);
            };
        },
    };
}

AtomicRoute remover()
{
    http::Route route = declare(
        "DELETE", "/api/v1/supressoes/{email}", "supressoes.remover", "Send to an address again"
    );
    route.path = {{.name = "email", .type = http::text({.max = 320})}};
    route.answers = {{.status = 204, .description = "It is in the list no more, now or before"}};
    return {
        .route = std::move(route),
        .operation = supressoes_remover(),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            return [tenant_id = exchange.caller.tenant_id,
                    email = normalised(http::get_parameter(exchange.request, "email")
                    )](Transaction& transaction) -> Answered {
                const auto removed = unsuppress(transaction, tenant_id, email);
                if (!removed) return std::unexpected(removed.error());
                return Response{.status = 204};
            };
        },
    };
}

ReadRoute listar()
{
    http::Route route = declare(
        "GET", "/api/v1/supressoes", "supressoes.listar", "Addresses that get nothing, page by page"
    );
    route.query = modules::page_parameters();
    route.query.push_back({.name = "email", .type = http::text({.max = 320}), .required = false});
    route.answers = {modules::page_answer(suppression_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) -> std::optional<std::string> {
        const auto email = http::find_parameter(request, "email");
        return email ? std::optional{normalised(*email)} : std::nullopt;
    };
    return modules::listing(std::move(route), read_filter, list_suppressions);
}

}  // namespace

void add_suppression_routes(key_protocol::Api& api)
{
    api.add(criar());
    api.add(remover());
    api.add(listar());
}

}  // namespace umavez::mailing
