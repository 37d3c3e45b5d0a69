#include "modules/fiscal/numbering/answers.hpp"
#include "modules/fiscal/numbering/faixas_table.hpp"
#include "modules/fiscal/numbering/operations.hpp"
#include "modules/fiscal/numbering/routes.hpp"
#include "modules/fiscal/numbering/service.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::fiscal {
namespace {

using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadRoute;

constexpr const char* example =
    R"({"id":1,"tipo":"nfse-nacional","ambiente":"homologacao","emitente":"00574753000100",)"
    R"("serie":"1","ultimo_numero":0,"numero_max":999999999999999,"bloqueado":false,"versao":1,)"
    R"("created_at":"2026-11-17T12:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000000Z"})";

constexpr const char* blocked_example =
    R"({"id":1,"tipo":"nfse-nacional","ambiente":"homologacao","emitente":"00574753000100",)"
    R"("serie":"1","ultimo_numero":5306,"numero_max":999999999999999,"bloqueado":true,"versao":2,)"
    R"("created_at":"2026-11-17T12:00:00.000000Z","updated_at":"2026-11-18T12:00:00.000000Z"})";

http::Schema faixa_schema()
{
    std::vector<http::Field> fields{{.name = "id", .type = http::integer({.min = 1})}};
    for (http::Field& field : serie_fields()) {
        field.required = true;
        fields.push_back(std::move(field));
    }
    for (http::Field& field : std::vector<http::Field>{
             {.name = "ultimo_numero",
              .type = http::integer({.min = 0}),
              .description = "the last that was given out; 0: none yet"},
             {.name = "numero_max",
              .type = http::integer({.min = 1}),
              .description = "the largest that the printed document has room for"},
             {.name = "bloqueado", .type = http::boolean()},
             {.name = "versao",
              .type = http::integer({.min = 1}),
              .description = "grows with every change by people, not with numbers; also the ETag"},
             {.name = "created_at", .type = http::date_time()},
             {.name = "updated_at", .type = http::date_time()},
         }) {
        fields.push_back(std::move(field));
    }
    return http::object(std::move(fields)).named("FaixaNumeracao");
}

http::Answer faixa_answer(int status, std::string description, const char* shown)
{
    return {
        .status = status,
        .description = std::move(description),
        .body = faixa_schema(),
        .example = shown,
        .headers = {{.name = "ETag", .type = http::text(), .description = "the version"}},
    };
}

AtomicRoute criar(const IsIssuer& is_issuer)
{
    http::Route route{.method = "POST", .pattern = "/api/v1/numeracao/faixas"};
    route.operation_id = "numeracao.faixas.criar";
    route.tag = numbering_tag();
    route.summary = "Let umavez number a series";
    route.description =
        "From then on its numbers come from `reservas`, one after the other and without a gap. Say "
        "in `ultimo_numero` what was used elsewhere.";
    std::vector<http::Field> fields = serie_fields();
    fields.push_back(
        {.name = "ultimo_numero",
         .type = http::integer({.min = 0}),
         .description = "0 unless told",
         .required = false}
    );
    route.body = http::Body{
        .schema = http::object(std::move(fields)).named("NovaFaixaNumeracao"),
        .example =
            R"({"tipo":"nfse-nacional","ambiente":"homologacao","emitente":"00574753000100",)"
            R"("serie":"1"})"
    };
    route.answers = {faixa_answer(201, "Created", example)};
    route.problems = {"validation", "faixa-existente", "numeracao-inconsistente"};
    return {
        .route = std::move(route),
        .operation = faixas_criar(),
        .prepare = [is_issuer](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto nova = read_nova_faixa(exchange.body, exchange.language);
            if (!nova) return std::unexpected(std::move(nova).error());
            if (!is_issuer(exchange.caller.tenant_id, nova->serie.emitente)) {
                return std::unexpected(not_your_issuer(exchange.language));
            }
            return criar_faixa(modules::origin_of(exchange), *std::move(nova));
        },
    };
}

OrProblem<AtomicAction> prepare_alterar(const Exchange& exchange)
{
    auto changes = read_faixa_changes(exchange.body, exchange.language);
    if (!changes) return std::unexpected(std::move(changes).error());
    auto expected = key_protocol::read_expected_version(
        exchange.request.headers, changes->versao, exchange.language
    );
    if (!expected) return std::unexpected(std::move(expected).error());
    return alterar_faixa(
        modules::origin_of(exchange),
        http::get_integer(exchange.request, "id"),
        *changes,
        *std::move(expected)
    );
}

AtomicRoute alterar()
{
    http::Route route{.method = "PATCH", .pattern = "/api/v1/numeracao/faixas/{id}"};
    route.operation_id = "numeracao.faixas.alterar";
    route.tag = numbering_tag();
    route.summary = "Block a series, or release it";
    route.description =
        "A blocked series gives out no numbers. `ultimo_numero` may only be raised to the largest "
        "number that a document of the series has: that mends a range that was restored from a "
        "copy.";
    route.path = {modules::id_parameter("The range")};
    route.body = http::Body{
        .schema =
            http::object(
                {
                    {.name = "bloqueado", .type = http::boolean(), .required = false},
                    {.name = "ultimo_numero", .type = http::integer({.min = 1}), .required = false},
                    modules::versao_field(),
                }
            )
                .named("FaixaNumeracaoChanges"),
        .example = R"({"bloqueado":true,"versao":1})"
    };
    route.headers = {modules::if_match_field()};
    route.answers = {faixa_answer(200, "The range as it is then", blocked_example)};
    route.problems = {"validation", "not-found", "version-conflict"};
    return {.route = std::move(route), .operation = faixas_alterar(), .prepare = prepare_alterar};
}

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/numeracao/faixas/{id}"};
    route.operation_id = "numeracao.faixas.mostrar";
    route.tag = numbering_tag();
    route.summary = "One range of numbers";
    route.path = {modules::id_parameter("The range")};
    route.answers = {faixa_answer(200, "The range", example)};
    route.problems = {"not-found"};
    return modules::showing(std::move(route), "faixa", find_faixa);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/numeracao/faixas"};
    route.operation_id = "numeracao.faixas.listar";
    route.tag = numbering_tag();
    route.summary = "Ranges of numbers, page by page";
    route.query = modules::page_parameters();
    route.query.push_back({.name = "tipo", .type = http::one_of(tipo_words()), .required = false});
    route.query.push_back({.name = "emitente", .type = http::text({.max = 14}), .required = false});
    route.answers = {modules::page_answer(faixa_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        FaixaFilter filter;
        if (const auto tipo = http::find_parameter(request, "tipo"))
            filter.tipo = parse_tipo(*tipo);
        if (const auto emitente = http::find_parameter(request, "emitente")) {
            filter.emitente = std::string{*emitente};
        }
        return filter;
    };
    return modules::listing(std::move(route), read_filter, list_faixas);
}

}  // namespace

std::vector<http::Field> serie_fields()
{
    return {
        {.name = "tipo", .type = http::one_of(tipo_words())},
        {.name = "ambiente", .type = http::one_of(ambiente_words())},
        {.name = "emitente",
         .type = http::text({.max = 18, .min = 11}),
         .description = "CNPJ, which may have letters, or CPF"},
        {.name = "serie",
         .type = http::text({.max = 5}),
         .description = "may be left out for nfse-sp alone",
         .required = false},
    };
}

std::string numbering_tag()
{
    return "Fiscal: numeração";
}

void add_faixa_routes(key_protocol::Api& api, const IsIssuer& is_issuer)
{
    api.add(criar(is_issuer));
    api.add(alterar());
    api.add(mostrar());
    api.add(listar());
}

void add_numbering_routes(key_protocol::Api& api, const IsIssuer& is_issuer)
{
    add_faixa_routes(api, is_issuer);
    add_reserva_routes(api, is_issuer);
}

}  // namespace umavez::fiscal
