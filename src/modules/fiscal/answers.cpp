#include "modules/fiscal/answers.hpp"

#include "base/json_object.hpp"
#include "modules/fiscal/rules/post_rule.hpp"
#include "modules/parts/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace umavez::fiscal {
namespace {

constexpr std::int64_t default_retry_seconds = 30;

// What an authority has of a document that is not known to be authorised.
Effect effect_of(Estado estado) noexcept
{
    const bool is_nothing =
        estado == Estado::reservado || estado == Estado::rejeitado || estado == Estado::inutilizado;
    return is_nothing ? Effect::none : Effect::unknown;
}

// It was authorised, whatever became of it afterwards.
bool was_authorised(Estado estado) noexcept
{
    switch (estado) {
        case Estado::autorizado:
        case Estado::cancelamento_pendente:
        case Estado::cancelamento_em_analise:
        case Estado::cancelado:
        case Estado::substituido: return true;
        case Estado::reservado:
        case Estado::transmitido:
        case Estado::indeterminado:
        case Estado::rejeitado:
        case Estado::denegado:
        case Estado::inutilizacao_pendente:
        case Estado::inutilizado: break;
    }
    return false;
}

std::string body_of(bool is_success, const Documento& documento, Origem origem)
{
    JsonObject body;
    body.boolean("sucesso", is_success)
        .raw("documento", to_json(documento))
        .text("origem", to_text(origem));
    if (!is_success) body.text("effect", to_text(effect_of(documento.estado)));
    return body.str() + '\n';
}

std::int64_t to_seconds(std::optional<Duration> wait)
{
    if (!wait) return default_retry_seconds;
    return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(*wait).count(), 1);
}

Header retry_after_header(std::int64_t seconds)
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
    const bool is_success = was_authorised(documento.estado);
    http::Response response = json(status, body_of(is_success, documento, origem), documento);
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
        response.headers.push_back(retry_after_header(to_seconds(*documento.conciliar_em - now)));
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

http::Problem wrong_state(const Documento& documento, Origem origem)
{
    // Found out now: it is so at the authority, although we did not do it.
    const Effect effect = origem == Origem::cache ? Effect::none : Effect::applied;
    return {
        .name = "estado-nao-permite",
        .detail =
            {fmt::format("the document is {}", to_text(documento.estado)),
             fmt::format("o documento está {}", to_text(documento.estado))},
        .members = members_of(documento, origem, effect),
        .headers = {modules::etag(documento.versao)},
    };
}

http::Problem in_doubt(const Documento& documento)
{
    if (documento.estado == Estado::inutilizacao_pendente) {
        return {
            .name = "documento-em-duvida",
            .detail =
                {fmt::format(
                     "the number of document {} is being voided, and nobody knows yet whether it "
                     "is",
                     documento.id
                 ),
                 fmt::format(
                     "o número do documento {} está sendo inutilizado, e ainda não se sabe se foi",
                     documento.id
                 )},
            .members = members_of(documento, Origem::cache, Effect::unknown),
        };
    }
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

http::Problem refused_so_often(const Documento& documento)
{
    http::Problem problem = rejected(documento, Origem::cache);
    problem.detail = {
        fmt::format(
            "the authority refused these very bytes {} times within an hour; they were not sent "
            "again, because it blocks who goes on. Correct them and keep the number",
            equal_refusals_max
        ),
        fmt::format(
            "a autoridade rejeitou estes mesmos bytes {} vezes em uma hora; não foram enviados de "
            "novo, porque ela bloqueia quem insiste. Corrija-os e mantenha o número",
            equal_refusals_max
        ),
    };
    return problem;
}

http::Problem certificate_refused(const Documento& documento, const Ended& ended)
{
    http::Problem problem = not_configured(ended.detail);
    const std::string& emitente = documento.identidade.emitente;
    problem.detail = {
        fmt::format(
            "the authority does not take the certificate of {}; nothing was stored there. Whoever "
            "runs the server replaces the certificate; then send the same request again",
            emitente
        ),
        fmt::format(
            "a autoridade não aceita o certificado de {}; nada foi registrado lá. Quem opera o "
            "servidor troca o certificado; depois envie a mesma requisição",
            emitente
        ),
    };
    problem.members.push_back({"documento", to_json(documento)});
    return problem;
}

http::Problem not_taken(const std::optional<Documento>& documento, const Ended& ended)
{
    if (documento && ended.is_certificate_refused) return certificate_refused(*documento, ended);
    const std::int64_t seconds = to_seconds(ended.retry_after);
    http::Problem problem{
        .name = ended.is_blocked ? "autoridade-bloqueada" : "autoridade-indisponivel",
        .detail =
            {fmt::format("nothing was stored by the authority; try again in {} s", seconds),
             fmt::format("a autoridade não registrou nada; tente de novo em {} s", seconds)},
        .headers = {retry_after_header(seconds)},
        .cause = ended.detail,
    };
    if (documento) problem.members.push_back({"documento", to_json(*documento)});
    problem.members.push_back(http::text_member("effect", to_text(Effect::none)));
    return problem;
}

http::Problem not_asked(const Documento& documento, const Ended& ended)
{
    http::Problem problem = not_taken(documento, ended);
    if (ended.is_certificate_refused) return problem;
    const std::int64_t seconds = to_seconds(ended.retry_after);
    problem.detail = {
        fmt::format(
            "the authority could not be asked; nothing was changed. Again in {} s", seconds
        ),
        fmt::format(
            "a autoridade não pôde ser consultada; nada foi alterado. De novo em {} s", seconds
        ),
    };
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

http::Problem not_voidable(
    const std::vector<Documento>& documentos, const std::vector<std::int64_t>& unknown
)
{
    std::vector<std::string> listed;
    for (const Documento& documento : documentos) {
        listed.push_back(JsonObject{}
                             .number("numero", documento.identidade.numero)
                             .number("documento_id", documento.id)
                             .text("estado", to_text(documento.estado))
                             .str());
    }
    for (const std::int64_t numero : unknown) {
        listed.push_back(JsonObject{}
                             .number("numero", numero)
                             .raw("documento_id", "null")
                             .raw("estado", "null")
                             .str());
    }
    return {
        .name = "numeros-nao-inutilizaveis",
        .members =
            {{"numeros", to_json_array(listed)}, http::text_member("effect", to_text(Effect::none))
            },
    };
}

http::Problem voiding_refused(const std::vector<Documento>& documentos, Effect effect)
{
    return {
        .name = "inutilizacao-recusada",
        .members =
            {{"documentos", to_json_array(documentos, [](const Documento& d) { return to_json(d); })
             },
             http::text_member("effect", to_text(effect))},
    };
}

http::Response voiding_response(
    const std::vector<Documento>& documentos, Origem origem, std::optional<Duration> retry_after
)
{
    const auto count = [&](Estado estado) {
        return std::ranges::count(documentos, estado, &Documento::estado);
    };
    const bool is_done = count(Estado::inutilizado) == std::ssize(documentos);
    const bool is_unknown = count(Estado::inutilizacao_pendente) > 0;
    JsonObject body;
    body.boolean("sucesso", is_done)
        .raw("documentos", to_json_array(documentos, [](const Documento& d) { return to_json(d); }))
        .text("origem", to_text(origem));
    if (!is_done) body.text("effect", to_text(is_unknown ? Effect::unknown : Effect::applied));
    http::Response response = http::json_response(is_done ? 200 : 202, body.str() + '\n');
    if (origem == Origem::cache) response.headers.push_back({"Idempotent-Replayed", "true"});
    if (!is_done) response.headers.push_back(retry_after_header(to_seconds(retry_after)));
    return response;
}

http::Problem substitute_not_ready(const Documento& documento)
{
    const std::int64_t id = documento.substituto_id.value_or(0);
    http::Problem problem = wrong_state(documento);
    problem.detail = {
        fmt::format("document {} takes its place and is not authorised yet", id),
        fmt::format("o documento {} o substitui e ainda não está autorizado", id),
    };
    return problem;
}

http::Problem number_in_use(const Documento& documento)
{
    return {
        .name = "numero-em-uso",
        .detail =
            {fmt::format(
                 "number {} of this series is that of document {}, issued in another way (tpEmis); "
                 "the off-line note takes a new number",
                 documento.identidade.numero,
                 documento.id
             ),
             fmt::format(
                 "o número {} desta série é o do documento {}, emitido de outro modo (tpEmis); a "
                 "nota off-line recebe um número novo",
                 documento.identidade.numero,
                 documento.id
             )},
        .members = {http::number_member("documento_id", documento.id)},
    };
}

http::Problem no_substitution(std::int64_t id, http::Text why)
{
    return {
        .name = "substituicao-impossivel",
        .detail = std::move(why),
        .members =
            {http::number_member("substitui", id),
             http::text_member("effect", to_text(Effect::none))},
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
        .headers = {retry_after_header(default_retry_seconds)},
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
        .headers = {retry_after_header(seconds)},
    };
}

}  // namespace umavez::fiscal
