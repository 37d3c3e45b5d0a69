#include "modules/propostas/route_parts.hpp"

#include "modules/propostas/routes.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::propostas {

using http::Schema;

void add_routes(key_protocol::Api& api, const Settings& settings)
{
    add_cliente_routes(api, settings);
    add_proposta_routes(api, settings);
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

}  // namespace umavez::propostas
