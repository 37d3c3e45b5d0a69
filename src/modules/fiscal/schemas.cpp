#include "modules/fiscal/schemas.hpp"

#include "modules/fiscal/answers.hpp"
#include "modules/fiscal/routes.hpp"

#include <utility>
#include <vector>

namespace umavez::fiscal {
namespace {

using http::Field;
using http::Schema;

Field text_field(std::string name, std::string description = {})
{
    return {.name = std::move(name), .type = http::text(), .description = std::move(description)};
}

Field text_or_null(std::string name, std::string description = {})
{
    return {
        .name = std::move(name),
        .type = http::text().or_null(),
        .description = std::move(description),
    };
}

Field instant_or_null(std::string name, std::string description = {})
{
    return {
        .name = std::move(name),
        .type = http::date_time().or_null(),
        .description = std::move(description),
    };
}

Schema mensagem_schema()
{
    return http::object({text_field("codigo"), text_field("descricao")}).named("MensagemFiscal");
}

Field mensagens_field()
{
    return {
        .name = "mensagens",
        .type = http::array_of(mensagem_schema()),
        .description = "what the authority said, in its own words",
    };
}

}  // namespace

const char* const documento_example =
    R"({"id":1,"tipo":"nfse-nacional","ambiente":"homologacao","emitente":"00574753000100",)"
    R"("serie":"3","numero":5306,"estado":"AUTORIZADO","versao":2,)"
    R"("chave_acesso":"21113002200574753000100000000000530626011234567890","protocolo":null,)"
    R"("id_autoridade":"DPS211130020057475300010000003000000000005306",)"
    R"("id_idempotencia":"nfse-nacional:2:2111300_2_00574753000100_00003_000000000005306",)"
    R"("idempotencia_key":null,)"
    R"("xml_sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",)"
    R"("mensagens":[],"tentativas":1,"proxima_conciliacao_em":null,"alerta":null,)"
    R"("justificativa":null,"protocolo_cancelamento":null,"prazo_inutilizacao":null,)"
    R"("reservado_em":null,"autorizado_em":"2026-01-31T12:00:00.000000Z","cancelado_em":null,)"
    R"("substituto_id":null,"prazo_substituicao":null,)"
    R"("created_at":"2026-01-31T12:00:00.000000Z","updated_at":"2026-01-31T12:00:00.000000Z"})";

const std::string resultado_example =
    std::string{R"({"sucesso":true,"documento":)"} + documento_example + R"(,"origem":"emissao"})";

void add_routes(key_protocol::Api& api, Module& module)
{
    const auto counter = std::make_shared<Counter>(module);
    add_document_routes(api, counter);
    add_order_routes(api, counter);
    add_voiding_routes(api, counter);
}

Schema documento_schema()
{
    return http::object(
               {
                   {.name = "id", .type = http::integer({.min = 1})},
                   {.name = "tipo", .type = http::one_of(tipo_words())},
                   {.name = "ambiente", .type = http::one_of(ambiente_words())},
                   text_field("emitente", "CNPJ or CPF, without punctuation"),
                   text_field("serie"),
                   {.name = "numero", .type = http::integer({.min = 1})},
                   {.name = "estado", .type = http::one_of(estado_words())},
                   {.name = "versao",
                    .type = http::integer({.min = 1}),
                    .description = "grows with every change; also the ETag"},
                   text_or_null("chave_acesso", "given by the authority"),
                   text_or_null("protocolo"),
                   text_or_null("id_autoridade", "what the authority knows it by"),
                   text_field("id_idempotencia", "its natural key and environment"),
                   text_or_null(
                       "idempotencia_key", "of the request that sent it first, if it had one"
                   ),
                   text_or_null("xml_sha256", "of the bytes that were sent"),
                   mensagens_field(),
                   {.name = "tentativas",
                    .type = http::integer({.min = 0}),
                    .description = "how often it was sent"},
                   instant_or_null(
                       "proxima_conciliacao_em", "when the authority is asked what became of it"
                   ),
                   text_or_null("alerta", "what a person has to look at"),
                   text_or_null("justificativa", "of its cancellation"),
                   text_or_null("protocolo_cancelamento"),
                   text_or_null("prazo_inutilizacao", "of a number that was not used"),
                   {.name = "substituto_id",
                    .type = http::integer({.min = 1}).or_null(),
                    .description = "the document that took its place"},
                   instant_or_null(
                       "prazo_substituicao", "until when it can be cancelled by substitution"
                   ),
                   instant_or_null("reservado_em"),
                   instant_or_null("autorizado_em"),
                   instant_or_null("cancelado_em"),
                   {.name = "created_at", .type = http::date_time()},
                   {.name = "updated_at", .type = http::date_time()},
               }
    )
        .named("DocumentoFiscal");
}

Schema resultado_schema()
{
    return http::object(
               {
                   {.name = "sucesso", .type = http::boolean()},
                   {.name = "documento", .type = documento_schema()},
                   {.name = "origem",
                    .type = http::one_of(origem_words()),
                    .description =
                        "`emissao`: the authority's answer to this call; `cache`: our table; "
                        "`conciliacao`: what the authority said when it was asked"},
                   {.name = "effect",
                    .type = http::text(),
                    .description = "`unknown` or `none`, where it is no success",
                    .required = false},
               }
    )
        .named("ResultadoFiscal");
}

Schema tentativa_schema()
{
    return http::object(
               {
                   {.name = "id", .type = http::integer({.min = 1})},
                   text_field(
                       "operacao", "emitir, consultar, cancelar, consultar-cancelamento, inutilizar"
                   ),
                   {.name = "tentativa", .type = http::integer({.min = 1})},
                   text_or_null("xml_sha256", "what was sent"),
                   text_or_null(
                       "palavra", "what the answer meant; null: it runs, or its process died"
                   ),
                   mensagens_field(),
                   {.name = "http_status", .type = http::integer().or_null()},
                   {.name = "duracao_ms", .type = http::integer().or_null()},
                   text_or_null("detalhe"),
                   {.name = "em", .type = http::date_time()},
               }
    )
        .named("TentativaFiscal");
}

std::string tag()
{
    return "Fiscal";
}

http::Answer resultado_answer(int status, std::string description)
{
    return {
        .status = status,
        .description = std::move(description),
        .body = resultado_schema(),
        .example = resultado_example,
        .headers = {{.name = "ETag", .type = http::text(), .description = "the version"}},
    };
}

}  // namespace umavez::fiscal
