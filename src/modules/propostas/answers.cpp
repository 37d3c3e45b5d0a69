#include "modules/propostas/answers.hpp"

#include "base/json_text.hpp"
#include "base/rfc3339.hpp"
#include "base/shown.hpp"
#include "http/validation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace umavez::propostas {
namespace {

std::string instant_or_null(const std::optional<Instant>& instant)
{
    return instant ? fmt::format("\"{}\"", to_rfc3339(*instant)) : "null";
}

// The answer as it was kept, which is JSON of ours.
std::string_view kept_body(const Record& record)
{
    if (!record.response || record.response->omitted) return "null";
    std::string_view body = record.response->response.body;
    while (body.ends_with('\n')) body.remove_suffix(1);
    return body.empty() ? "null" : body;
}

}  // namespace

Response to_response(int status, const Cliente& cliente)
{
    return modules::entity_response(status, {"clientes", cliente.id}, to_json(cliente));
}

Response to_response(int status, const Proposta& proposta)
{
    return modules::entity_response(
        status, {"propostas", proposta.id, proposta.versao}, to_json(proposta)
    );
}

Response gone(std::string_view operation, const Record& record)
{
    Response response{.status = 410};
    response.body = fmt::format(
        R"({{"operation":{},"status":"{}","created_at":"{}","completed_at":{},"entity_id":{},)"
        R"("response":{}}})",
        to_json_text(operation),
        to_text(record.status),
        to_rfc3339(record.created_at),
        instant_or_null(record.completed_at),
        entity_id_of(record),
        kept_body(record)
    );
    return response;
}

std::int64_t entity_id_of(const Record& record)
{
    std::int64_t id = 0;
    if (!record.response || !record.response->response.entity) return id;
    const std::string& text = record.response->response.entity->id;
    std::from_chars(text.data(), text.data() + text.size(), id);
    return id;
}

http::Problem email_taken(std::string_view email)
{
    return {
        .name = "email-existente",
        .detail =
            {fmt::format("{} belongs to another client", shown(email)),
             fmt::format("{} pertence a outro cliente", shown(email))},
    };
}

http::Problem invalid_transition(const Proposta& proposta, Passo passo)
{
    return {
        .name = "invalid-transition",
        .detail =
            {fmt::format(
                 "a proposal in {} does not allow {}", to_text(proposta.estado), to_text(passo)
             ),
             fmt::format(
                 "uma proposta em {} não permite {}", to_text(proposta.estado), to_text(passo)
             )},
        .members =
            {http::text_member("estado", to_text(proposta.estado)),
             http::number_member("versao", proposta.versao)},
        .headers = {modules::etag(proposta.versao)},
    };
}

http::Problem unknown_cliente(std::int64_t cliente_id, http::Language language)
{
    const http::FieldError unknown{
        "cliente_id",
        {fmt::format("there is no client {}", cliente_id),
         fmt::format("não há cliente {}", cliente_id)},
    };
    return http::validation_problem({unknown}, language);
}

http::Problem key_used_elsewhere()
{
    return {
        .name = "idempotency-key-reused",
        .detail =
            {"this key was used for this operation on another resource",
             "esta chave foi usada para esta operação em outro recurso"},
    };
}

}  // namespace umavez::propostas
