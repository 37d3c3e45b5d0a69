#include "modules/cobranca/answers.hpp"
#include "modules/cobranca/faturas_table.hpp"
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
    R"({"id":1,"assinatura_id":1,"competencia":"2026-01","valor":300.00,"valor_pago":0.00,)"
    R"("saldo":300.00,"estado":"aberta","versao":1,"created_at":"2026-01-31T12:00:00.000000Z",)"
    R"("updated_at":"2026-01-31T12:00:00.000000Z"})";

constexpr const char* cancelled_example =
    R"({"id":1,"assinatura_id":1,"competencia":"2026-01","valor":300.00,"valor_pago":0.00,)"
    R"("saldo":300.00,"estado":"cancelada","versao":2,)"
    R"("created_at":"2026-01-31T12:00:00.000000Z","updated_at":"2026-02-01T12:00:00.000000Z"})";

AtomicRoute criar()
{
    http::Route route{.method = "POST", .pattern = "/api/v1/faturas"};
    route.operation_id = "faturas.criar";
    route.tag = tag();
    route.summary = "Create the invoice of a month";
    route.description =
        "Over the `valor` that the subscription has now. A subscription has one invoice for each "
        "month: another key for the same month is refused with the `fatura_id` that is there.";
    route.body = http::Body{
        .schema = http::object({
                                   {.name = "assinatura_id", .type = http::integer({.min = 1})},
                                   competencia_field(),
                               })
                      .named("NovaFatura"),
        .example = R"({"assinatura_id":1,"competencia":"2026-01"})"
    };
    route.answers = {versioned_answer(201, "Created in `aberta`", fatura_schema(), example)};
    route.problems = {"validation", "fatura-existente", "invalid-transition"};
    return {
        .route = std::move(route),
        .operation = faturas_criar(),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto nova = read_nova_fatura(exchange.body, exchange.language);
            if (!nova) return std::unexpected(std::move(nova).error());
            return criar_fatura(modules::origin_of(exchange), *std::move(nova));
        },
    };
}

OrProblem<AtomicAction> prepare_cancelar(const Exchange& exchange)
{
    const auto versao = modules::read_versao(exchange.body, exchange.language);
    if (!versao) return std::unexpected(versao.error());
    auto expected =
        key_protocol::read_expected_version(exchange.request.headers, *versao, exchange.language);
    if (!expected) return std::unexpected(std::move(expected).error());
    return cancelar_fatura(
        modules::origin_of(exchange),
        http::get_integer(exchange.request, "id"),
        *std::move(expected)
    );
}

AtomicRoute cancelar()
{
    http::Route route{.method = "POST", .pattern = "/api/v1/faturas/{id}/cancelar"};
    route.operation_id = "faturas.cancelar";
    route.tag = tag();
    route.summary = "Cancel an invoice";
    route.description = "Only while it is `aberta` and nothing of it was paid.";
    route.path = {modules::id_parameter("The invoice")};
    route.body = http::Body{
        .schema = modules::versao_schema(),
        .example = R"({"versao":1})",
        .required = false,  // with If-Match
    };
    route.headers = {modules::if_match_field()};
    route.answers = {versioned_answer(200, "Cancelled", fatura_schema(), cancelled_example)};
    route.problems = {"validation", "not-found", "version-conflict", "invalid-transition"};
    return {
        .route = std::move(route), .operation = faturas_cancelar(), .prepare = prepare_cancelar
    };
}

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/faturas/{id}"};
    route.operation_id = "faturas.mostrar";
    route.tag = tag();
    route.summary = "One invoice";
    route.path = {modules::id_parameter("The invoice")};
    route.answers = {versioned_answer(200, "The invoice", fatura_schema(), example)};
    route.problems = {"not-found"};
    return modules::showing(std::move(route), "fatura", find_fatura);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/faturas"};
    route.operation_id = "faturas.listar";
    route.tag = tag();
    route.summary = "Invoices, page by page";
    route.query = modules::page_parameters();
    route.query.push_back(
        {.name = "assinatura_id", .type = http::integer({.min = 1}), .required = false}
    );
    route.query.push_back(
        {.name = "estado", .type = http::one_of(estado_fatura_words()), .required = false}
    );
    route.answers = {modules::page_answer(fatura_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        FaturaFilter filter{.assinatura_id = http::find_integer(request, "assinatura_id")};
        if (const auto estado = http::find_parameter(request, "estado")) {
            filter.estado = parse_estado_fatura(*estado);
        }
        return filter;
    };
    return modules::listing(std::move(route), read_filter, list_faturas);
}

}  // namespace

void add_fatura_routes(key_protocol::Api& api)
{
    api.add(criar());
    api.add(cancelar());
    api.add(mostrar());
    api.add(listar());
}

}  // namespace umavez::cobranca
