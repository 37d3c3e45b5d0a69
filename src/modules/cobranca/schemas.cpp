#include "modules/cobranca/schemas.hpp"

#include "modules/cobranca/input.hpp"
#include "modules/cobranca/routes.hpp"

#include <utility>

namespace umavez::cobranca {
namespace {

using http::Field;
using http::Schema;

Field id_field(std::string name)
{
    return {.name = std::move(name), .type = http::integer({.min = 1})};
}

Field money_field(std::string name, std::string description = {})
{
    return {.name = std::move(name), .type = http::money(), .description = std::move(description)};
}

Field instant_field(std::string name)
{
    return {.name = std::move(name), .type = http::date_time()};
}

Field version_field()
{
    return {
        .name = "versao",
        .type = http::integer({.min = 1}),
        .description = "grows with every change; also the ETag",
    };
}

Schema invoice_of_payment_schema()
{
    return http::object({
                            id_field("id"),
                            {.name = "estado", .type = http::one_of(estado_fatura_words())},
                            money_field("valor"),
                            money_field("valor_pago"),
                            money_field("saldo"),
                        })
        .named("FaturaDoPagamento");
}

std::vector<Field> pagamento_fields()
{
    return {
        id_field("id"),
        id_field("fatura_id"),
        money_field("valor"),
        {.name = "meio", .type = http::text({.max = meio_max, .min = 1})},
        {.name = "origem",
         .type = http::text({.max = origem_max, .min = 1}),
         .description = "`api`, or the provider that reported it"},
        {.name = "referencia",
         .type = http::text({.max = referencia_max}).or_null(),
         .description = "the provider's id of the payment"},
        instant_field("created_at"),
    };
}

}  // namespace

void add_routes(key_protocol::Api& api)
{
    add_assinatura_routes(api);
    add_fatura_routes(api);
    add_pagamento_routes(api);
    add_concessao_routes(api);
}

Schema assinatura_schema()
{
    return http::object({
                            id_field("id"),
                            {.name = "cliente", .type = http::text({.max = cliente_max, .min = 1})},
                            {.name = "plano", .type = http::text({.max = plano_max, .min = 1})},
                            money_field("valor"),
                            {.name = "ciclo", .type = http::one_of(ciclo_words())},
                            {.name = "estado", .type = http::one_of(estado_assinatura_words())},
                            version_field(),
                            instant_field("created_at"),
                            instant_field("updated_at"),
                        })
        .named("Assinatura");
}

Schema fatura_schema()
{
    return http::object({
                            id_field("id"),
                            id_field("assinatura_id"),
                            competencia_field(),
                            money_field("valor", "the subscription's, when the invoice was made"),
                            money_field("valor_pago"),
                            money_field("saldo", "what is still to be paid"),
                            {.name = "estado", .type = http::one_of(estado_fatura_words())},
                            version_field(),
                            instant_field("created_at"),
                            instant_field("updated_at"),
                        })
        .named("Fatura");
}

Schema pagamento_schema()
{
    return http::object(pagamento_fields()).named("Pagamento");
}

Schema pagamento_aplicado_schema()
{
    std::vector<Field> fields = pagamento_fields();
    fields.push_back(
        {.name = "fatura",
         .type = invoice_of_payment_schema(),
         .description = "the invoice as the payment left it"}
    );
    return http::object(std::move(fields)).named("PagamentoAplicado");
}

Schema concessao_schema()
{
    return http::object({
                            id_field("id"),
                            id_field("fatura_id"),
                            id_field("assinatura_id"),
                            competencia_field(),
                            instant_field("created_at"),
                        })
        .named("Concessao");
}

Field competencia_field()
{
    return {
        .name = "competencia",
        .type = http::text({.pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$"}),
        .description = "the month, AAAA-MM",
    };
}

std::string tag()
{
    return "Cobrança";
}

http::Answer versioned_answer(
    int status, std::string description, Schema schema, std::string example
)
{
    return {
        .status = status,
        .description = std::move(description),
        .body = std::move(schema),
        .example = std::move(example),
        .headers = {{.name = "ETag", .type = http::text(), .description = "the version"}},
    };
}

}  // namespace umavez::cobranca
