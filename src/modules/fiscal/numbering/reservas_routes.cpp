#include "modules/fiscal/numbering/answers.hpp"
#include "modules/fiscal/numbering/operations.hpp"
#include "modules/fiscal/numbering/routes.hpp"
#include "modules/fiscal/numbering/service.hpp"
#include "modules/fiscal/numbering/unused_numbers.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::fiscal {
namespace {

using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadRoute;

AtomicRoute reservar(const IsIssuer& is_issuer)
{
    http::Route route{.method = "POST", .pattern = "/api/v1/numeracao/reservas"};
    route.operation_id = "numeracao.reservar";
    route.tag = numbering_tag();
    route.summary = "Reserve the next number";
    route.description =
        "The number belongs to the document that is answered, in `RESERVADO`, for ever; the same "
        "key "
        "gets the same number, however late. Build and sign the XML with it, then send it with "
        "`POST "
        "/api/v1/documentos-fiscais`. What is never sent appears in `inutilizaveis`.";
    std::vector<http::Field> fields = serie_fields();
    for (http::Field& field : std::vector<http::Field>{
             {.name = "municipio",
              .type = http::text({.max = 7, .min = 7}),
              .description = "nfse-nacional: of the issuer's address, 7 digits of IBGE",
              .required = false},
             {.name = "uf",
              .type = http::text({.max = 2, .min = 2}),
              .description = "nfe, nfce: the state's code of IBGE",
              .required = false},
             {.name = "inscricao_municipal",
              .type = http::text({.max = 12, .min = 1}),
              .description = "nfse-sp: the registration (CCM)",
              .required = false},
             {.name = "tp_emis",
              .type = http::integer({.min = 1, .max = 9}),
              .description = "nfce: 1 unless told",
              .required = false},
         }) {
        fields.push_back(std::move(field));
    }
    route.body = http::Body{
        .schema = http::object(std::move(fields)).named("NovaReserva"),
        .example =
            R"({"tipo":"nfse-nacional","ambiente":"homologacao","emitente":"00574753000100",)"
            R"("serie":"1","municipio":"2111300"})"
    };
    route.answers = {{
        .status = 201,
        .description = "The document of the number; `Location` leads to it",
        .body = http::any(),
    }};
    route.problems = {
        "validation",
        "faixa-inexistente",
        "serie-bloqueada",
        "numeracao-esgotada",
        "numeracao-inconsistente"
    };
    return {
        .route = std::move(route),
        .operation = numeracao_reservar(),
        .prepare = [is_issuer](const Exchange& exchange) -> OrProblem<AtomicAction> {
            auto nova = read_nova_reserva(exchange.body, exchange.language);
            if (!nova) return std::unexpected(std::move(nova).error());
            if (!is_issuer(exchange.caller.tenant_id, nova->serie.emitente)) {
                return std::unexpected(not_your_issuer(exchange.language));
            }
            return reservar_numero(modules::origin_of(exchange), *std::move(nova));
        },
    };
}

http::Schema unused_schema()
{
    std::vector<http::Field> fields{{.name = "documento_id", .type = http::integer({.min = 1})}};
    for (http::Field& field : serie_fields()) {
        field.required = true;
        fields.push_back(std::move(field));
    }
    for (http::Field& field : std::vector<http::Field>{
             {.name = "numero", .type = http::integer({.min = 1})},
             {.name = "estado",
              .type = http::one_of({"RESERVADO", "REJEITADO"}),
              .description = "one that is in doubt is never in this list"},
             {.name = "reservado_em", .type = http::date_time().or_null()},
             {.name = "prazo_inutilizacao",
              .type = http::date(),
              .description = "the last day: the 10th of the month after the reservation"},
             {.name = "vencido", .type = http::boolean(), .description = "that day is over"},
         }) {
        fields.push_back(std::move(field));
    }
    return http::object(std::move(fields)).named("NumeroInutilizavel");
}

ReadRoute inutilizaveis()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/numeracao/inutilizaveis"};
    route.operation_id = "numeracao.inutilizaveis";
    route.tag = numbering_tag();
    route.summary = "Numbers that were never used";
    route.description =
        "Those whose deadline is over, in `RESERVADO` or `REJEITADO`; with `ate` those whose "
        "deadline "
        "is that day or earlier.";
    route.query = modules::page_parameters();
    route.query.push_back({.name = "tipo", .type = http::one_of(tipo_words()), .required = false});
    route.query.push_back({.name = "emitente", .type = http::text({.max = 14}), .required = false});
    route.query.push_back(
        {.name = "ate",
         .type = http::date(),
         .description = "deadlines up to this day",
         .required = false}
    );
    route.answers = {modules::page_answer(unused_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        UnusedFilter filter;
        if (const auto tipo = http::find_parameter(request, "tipo"))
            filter.tipo = parse_tipo(*tipo);
        if (const auto emitente = http::find_parameter(request, "emitente")) {
            filter.emitente = std::string{*emitente};
        }
        if (const auto until = http::find_parameter(request, "ate")) {
            filter.until = std::string{*until};
        }
        return filter;
    };
    return modules::listing(std::move(route), read_filter, list_unused);
}

}  // namespace

void add_reserva_routes(key_protocol::Api& api, const IsIssuer& is_issuer)
{
    api.add(reservar(is_issuer));
    api.add(inutilizaveis());
}

}  // namespace umavez::fiscal
