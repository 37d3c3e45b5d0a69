#include "modules/fiscal/answers.hpp"

#include "base/json_object.hpp"
#include "modules/parts/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace umavez::fiscal {
namespace {

constexpr std::int64_t default_retry_seconds = 30;

std::string body_of(bool is_success, const Documento& documento, Origem origem)
{
    JsonObject body;
    body.boolean("sucesso", is_success)
        .raw("documento", to_json(documento))
        .text("origem", to_text(origem));
    if (!is_success) body.text("effect", "unknown");
    return body.str() + '\n';
}

std::int64_t to_seconds(std::optional<Duration> wait)
{
    if (!wait) return default_retry_seconds;
    return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(*wait).count(), 1);
}

Header retry_after(std::int64_t seconds)
{
    return {"Retry-After", std::to_string(seconds)};
}

// What a client can do with the refusal: the document as it is now, and that nothing came of the request.
std::vector<http::Member> members_of(const Documento& documento, Origem origem, Effect effect)
{
    return {
        {"sucesso", "false"},
        {"documento", to_json(documento)},
        http::text_member("origem", to_text(origem)),
        {"mensagens", documento.mensagens},
        http::text_member("effect", to_text(effect)),
    };
}

http::Response json(int status, std::string body, const Documento& documento)
{
    http::Response response = http::json_response(status, std::move(body));
    response.headers.push_back(modules::etag(documento.versao));
    return response;
}

}  // namespace

std::string_view to_text(Origem origem) noexcept
{
    switch (origem) {
        case Origem::emissao: return "emissao";
        case Origem::cache: return "cache";
        case Origem::conciliacao: return "conciliacao";
    }
    return "";
}

std::vector<std::string> origem_words()
{
    return {"emissao", "cache", "conciliacao"};
}

http::Response settled_response(int status, const Documento& documento, Origem origem)
{
    http::Response response = json(status, body_of(true, documento, origem), documento);
    if (status == 201) {
        response.headers.push_back(
            {"Location", fmt::format("/api/v1/documentos-fiscais/{}", documento.id)}
        );
    }
    if (origem == Origem::cache) response.headers.push_back({"Idempotent-Replayed", "true"});
    return response;
}

http::Response pending_response(const Documento& documento, Origem origem, Instant now)
{
    http::Response response = json(202, body_of(false, documento, origem), documento);
    response.headers.push_back(
        {"Location", fmt::format("/api/v1/documentos-fiscais/{}", documento.id)}
    );
    if (documento.conciliar_em) {
        response.headers.push_back(retry_after(to_seconds(*documento.conciliar_em - now)));
    }
    return response;
}

http::Problem rejected(const Documento& documento, Origem origem)
{
    const bool is_final = documento.estado == Estado::denegado;
    return {
        .name = "documento-rejeitado",
        .detail = is_final ? http::Text{"the authority denied it; the number is used up",
                                        "a autoridade o denegou; o número foi consumido"}
                           : http::Text{"the authority refused it; correct it and send it again "
                                        "under the same number",
                                        "a autoridade o rejeitou; corrija e envie de novo com o "
                                        "mesmo número"},
        .members = members_of(documento, origem, is_final ? Effect::applied : Effect::none),
    };
}

http::Problem cancellation_refused(const Documento& documento, Origem origem)
{
    return {
        .name = "cancelamento-recusado",
        .detail = {"the document is still authorised", "o documento continua autorizado"},
        .members = members_of(documento, origem, Effect::none),
    };
}

http::Problem wrong_state(const Documento& documento)
{
    return {
        .name = "estado-nao-permite",
        .detail =
            {fmt::format("the document is {}", to_text(documento.estado)),
             fmt::format("o documento está {}", to_text(documento.estado))},
        .members = members_of(documento, Origem::cache, Effect::none),
        .headers = {modules::etag(documento.versao)},
    };
}

http::Problem in_doubt(const Documento& documento)
{
    return {
        .name = "documento-em-duvida",
        .detail =
            {fmt::format(
                 "document {} was sent with other bytes, and nobody knows yet what became of it",
                 documento.id
             ),
             fmt::format(
                 "o documento {} foi enviado com outros bytes, e ainda não se sabe o que houve com "
                 "ele",
                 documento.id
             )},
        .members = members_of(documento, Origem::cache, Effect::unknown),
    };
}

http::Problem not_taken(const std::optional<Documento>& documento, const Ended& ended)
{
    const std::int64_t seconds = to_seconds(ended.retry_after);
    http::Problem problem{
        .name = ended.is_blocked ? "autoridade-bloqueada" : "autoridade-indisponivel",
        .detail =
            {fmt::format("nothing was stored by the authority; try again in {} s", seconds),
             fmt::format("a autoridade não registrou nada; tente de novo em {} s", seconds)},
        .headers = {retry_after(seconds)},
        .cause = ended.detail,
    };
    if (documento) problem.members.push_back({"documento", to_json(*documento)});
    problem.members.push_back(http::text_member("effect", to_text(Effect::none)));
    return problem;
}

http::Problem not_configured(std::string cause)
{
    return {
        .name = "autoridade-nao-configurada",
        .members = {http::text_member("effect", to_text(Effect::none))},
        .cause = std::move(cause),
    };
}

http::Problem no_voiding(Tipo tipo)
{
    return {
        .name = "inutilizacao-nao-oferecida",
        .detail =
            {fmt::format("documents of type {} have no such service", to_text(tipo)),
             fmt::format("documentos do tipo {} não têm esse serviço", to_text(tipo))},
    };
}

http::Problem key_reused(const Documento& documento)
{
    return {
        .name = "idempotency-key-reused",
        .detail =
            {fmt::format("this key belongs to document {}, which has another number", documento.id),
             fmt::format("esta chave é do documento {}, que tem outro número", documento.id)},
        .members = {http::number_member("documento_id", documento.id)},
    };
}

http::Problem crowded()
{
    return {
        .name = "autoridade-indisponivel",
        .detail =
            {"too many requests wait for the authority; nothing was sent",
             "há requisições demais à espera da autoridade; nada foi enviado"},
        .members = {http::text_member("effect", to_text(Effect::none))},
        .headers = {retry_after(default_retry_seconds)},
    };
}

http::Problem busy(Duration lease_remaining)
{
    const std::int64_t seconds = std::min<std::int64_t>(to_seconds(lease_remaining), 5);
    return {
        .name = "idempotency-in-progress",
        .detail =
            {fmt::format("somebody is at this document; retry in {} s", seconds),
             fmt::format("alguém está tratando este documento; tente de novo em {} s", seconds)},
        .headers = {retry_after(seconds)},
    };
}

}  // namespace umavez::fiscal
