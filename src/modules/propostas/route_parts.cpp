#include "modules/propostas/route_parts.hpp"

#include "http/validation.hpp"
#include "modules/propostas/routes.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::propostas {

using http::Field;
using http::Schema;

void add_routes(key_protocol::Api& api, const Settings& settings)
{
    add_cliente_routes(api, settings);
    add_proposta_routes(api, settings);
}

Origin origin_of(const key_protocol::Exchange& exchange)
{
    Origin origin{.tenant_id = exchange.caller.tenant_id, .key = exchange.key};
    if (!exchange.caller.usuario.empty()) origin.usuario = exchange.caller.usuario;
    origin.language = exchange.language;
    return origin;
}

key_protocol::OrProblem<Page> page_of(const key_protocol::Exchange& exchange)
{
    Page page;
    page.limit = http::find_integer(exchange.request, "limit").value_or(page_limit_default);
    const auto cursor = http::find_parameter(exchange.request, "cursor");
    if (!cursor) return page;
    const auto after = parse_cursor(*cursor);
    if (!after) {
        const http::FieldError unknown{
            "cursor",
            {"is not one that a list of ours gave; leave it out to begin anew",
             "não foi dado por uma lista nossa; omita-o para recomeçar"},
        };
        return std::unexpected(http::validation_problem({unknown}, exchange.language));
    }
    page.after = *after;
    return page;
}

std::vector<Field> page_parameters()
{
    return {
        {.name = "cursor",
         .type = http::text({.max = 64}),
         .description = "`proximo` of the page before",
         .required = false},
        {.name = "limit",
         .type = http::integer({.min = 1, .max = page_limit_max}),
         .description = "Rows per page, 50 unless told",
         .required = false},
    };
}

Schema cliente_schema()
{
    return http::object({
                            {.name = "id", .type = http::integer({.min = 1})},
                            {.name = "nome", .type = http::text({.max = 255, .min = 1})},
                            {.name = "email", .type = http::text({.max = 255, .format = "email"})},
                            {.name = "documento", .type = http::text({.max = 20}).or_null()},
                            {.name = "idempotencia_key",
                             .type = http::text({.max = 255}).or_null(),
                             .description = "of the request that created it"},
                            {.name = "created_at", .type = http::date_time()},
                            {.name = "updated_at", .type = http::date_time()},
                        })
        .named("Cliente");
}

Schema proposta_schema()
{
    return http::object({
                            {.name = "id", .type = http::integer({.min = 1})},
                            {.name = "cliente_id", .type = http::integer({.min = 1})},
                            {.name = "valor", .type = http::money()},
                            {.name = "estado", .type = http::one_of(estado_words())},
                            {.name = "versao",
                             .type = http::integer({.min = 1}),
                             .description = "grows with every change; also the ETag"},
                            {.name = "idempotencia_key",
                             .type = http::text({.max = 255}).or_null(),
                             .description = "of the request that created it"},
                            {.name = "created_at", .type = http::date_time()},
                            {.name = "updated_at", .type = http::date_time()},
                        })
        .named("Proposta");
}

Schema page_schema(Schema item)
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

std::string proposta_example(std::string_view estado, int versao, std::string_view valor)
{
    return fmt::format(
        R"({{"id":1,"cliente_id":1,"valor":{},"estado":"{}","versao":{},)"
        R"("idempotencia_key":"proposta-001","created_at":"2026-01-31T12:00:00.000000Z",)"
        R"("updated_at":"2026-01-31T12:00:00.000000Z"}})",
        valor,
        estado,
        versao
    );
}

Field id_parameter(std::string description)
{
    return {.name = "id", .type = http::integer({.min = 1}), .description = std::move(description)};
}

}  // namespace umavez::propostas
