#include "modules/cobranca/answers.hpp"
#include "modules/cobranca/operations.hpp"
#include "modules/cobranca/pagamentos_table.hpp"
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
    R"({"id":1,"fatura_id":1,"valor":100.00,"meio":"pix","origem":"api","referencia":null,)"
    R"("created_at":"2026-01-31T12:00:00.000000Z"})";

constexpr const char* applied_example =
    R"({"id":1,"fatura_id":1,"valor":100.00,"meio":"pix","origem":"api","referencia":null,)"
    R"("created_at":"2026-01-31T12:00:00.000000Z",)"
    R"("fatura":{"id":1,"estado":"aberta","valor":300.00,"valor_pago":100.00,"saldo":200.00}})";

AtomicRoute aplicar()
{
    http::Route route{.method = "POST", .pattern = "/api/v1/pagamentos"};
    route.operation_id = "pagamentos.aplicar";
    route.tag = tag();
    route.summary = "Apply a payment to an invoice";
    route.description =
        "It is added to `valor_pago`; payments with different keys add up. The one that leaves "
        "nothing to pay makes the invoice `paga` and its one row in concessoes.";
    route.body = http::Body{
        .schema = http::object({
                                   {.name = "fatura_id", .type = http::integer({.min = 1})},
                                   {.name = "valor",
                                    .type = http::money(),
                                    .description = "From 0.01 to the balance of the invoice"},
                                   {.name = "meio",
                                    .type = http::text({.max = meio_max, .min = 1}),
                                    .description = "How it was paid, in words of your own"},
                               })
                      .named("NovoPagamento"),
        .example = R"({"fatura_id":1,"valor":100.00,"meio":"pix"})"
    };
    route.answers = {
        {.status = 201,
         .description = "Applied",
         .body = pagamento_aplicado_schema(),
         .example = applied_example},
    };
    route.problems = {"validation", "pagamento-excede-saldo", "fatura-paga", "fatura-cancelada"};
    return {
        .route = std::move(route),
        .operation = pagamentos_aplicar(),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto body = read_pagamento(exchange.body, exchange.language);
            if (!body) return std::unexpected(std::move(body).error());
            return aplicar_pagamento(modules::origin_of(exchange), *std::move(body));
        },
    };
}

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/pagamentos/{id}"};
    route.operation_id = "pagamentos.mostrar";
    route.tag = tag();
    route.summary = "One payment";
    route.path = {modules::id_parameter("The payment")};
    route.answers = {
        {.status = 200, .description = "The payment", .body = pagamento_schema(), .example = example
        }
    };
    route.problems = {"not-found"};
    return modules::showing(std::move(route), "pagamento", find_pagamento);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/pagamentos"};
    route.operation_id = "pagamentos.listar";
    route.tag = tag();
    route.summary = "Payments, page by page";
    route.query = modules::page_parameters();
    route.query.push_back(
        {.name = "fatura_id", .type = http::integer({.min = 1}), .required = false}
    );
    route.answers = {modules::page_answer(pagamento_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        return http::find_integer(request, "fatura_id");
    };
    return modules::listing(std::move(route), read_filter, list_pagamentos);
}

}  // namespace

void add_pagamento_routes(key_protocol::Api& api)
{
    api.add(aplicar());
    api.add(mostrar());
    api.add(listar());
}

}  // namespace umavez::cobranca
