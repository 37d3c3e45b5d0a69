#include "modules/fiscal/counter.hpp"

#include "base/digest.hpp"
#include "key_protocol/outcome_problem.hpp"
#include "modules/fiscal/cancellation.hpp"
#include "modules/fiscal/fiscal_worker.hpp"
#include "modules/fiscal/rules/post_rule.hpp"
#include "modules/parts/answers.hpp"
#include "modules/parts/read.hpp"

#include <exception>
#include <utility>
#include <variant>

namespace umavez::fiscal {
namespace {

using key_protocol::problem_of;

Answered refuse(http::Problem problem)
{
    return std::unexpected(std::move(problem));
}

PostedBytes bytes_of(const Documento& documento, const Nova& nova)
{
    const bool is_same = documento.xml_sha256 == to_hex(sha256(nova.xml));
    return is_same ? PostedBytes::same : PostedBytes::others;
}

// What the row alone says to a POST. Nullopt: something has to be done.
std::optional<Answered> answer_from_row(const Documento& documento, const Nova& nova)
{
    switch (post_step(documento.estado, bytes_of(documento, nova))) {
        case PostStep::answer_from_cache: return settled_response(200, documento, Origem::cache);
        case PostStep::refuse_in_doubt: return refuse(in_doubt(documento));
        case PostStep::refuse_for_good: return refuse(wrong_state(documento));
        case PostStep::send:
        case PostStep::send_new_version:
        case PostStep::conciliate: break;
    }
    return std::nullopt;
}

// What the engine says by itself, where nobody learnt anything.
std::optional<Answered> answer_of(const Driven& driven)
{
    if (const auto* const away = std::get_if<Unavailable>(&driven.outcome)) {
        const Errc code =
            away->effect == Effect::none ? Errc::store_unavailable : Errc::store_unknown;
        return refuse(problem_of(Error{code, away->detail, {}}, true));
    }
    if (const auto* const at_it = std::get_if<InProgress>(&driven.outcome)) {
        return refuse(busy(at_it->retry_after));
    }
    return std::nullopt;
}

// The issuer's certificate and the endpoint, before anything is marked as sent.
std::optional<http::Problem> check(Module& module, const Identidade& identidade)
{
    const TipoParts* const parts = module.find_tipo(identidade.tipo);
    if (parts == nullptr) return not_configured("no authority for this type");
    const auto checked = parts->authority->check({
        .tipo = identidade.tipo,
        .ambiente = identidade.ambiente,
        .emitente = identidade.emitente,
        .id_autoridade = identidade.id_autoridade.value_or(""),
    });
    if (checked) return std::nullopt;
    return not_configured(checked.error().detail);
}

}  // namespace

Task<Answered> Counter::serve(std::function<Answered()> question)
{
    if (waiting_.fetch_add(1) >= module_.settings().waiting_max) {
        waiting_.fetch_sub(1);
        co_return refuse(crowded());
    }
    std::optional<Answered> answer;
    auto asking = threads_.ask([&] {
        try {
            // Nobody begins anything in a process that wants to end.
            const bool is_leaving = module_.course_parts().leaving.stop_requested();
            answer = is_leaving ? refuse(crowded()) : question();
        } catch (const std::exception& thrown) {
            answer = refuse({.name = "internal-error", .cause = thrown.what()});
        }
    });
    co_await asking;
    waiting_.fetch_sub(1);
    co_return *std::move(answer);
}

Task<key_protocol::OrProblem<Documento>> Counter::find(TenantId tenant_id, std::int64_t id)
{
    std::optional<Documento> documento;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto found = find_documento(transaction, tenant_id, id);
        if (!found) return std::unexpected(found.error());
        documento = *std::move(found);
        return {};
    };
    auto reading = module_.database().async_read(std::move(closure));
    const Result<void> done = co_await std::move(reading);
    if (!done) co_return std::unexpected(problem_of(done.error(), true));
    if (!documento) co_return std::unexpected(modules::not_found("documento fiscal", id));
    co_return *std::move(documento);
}

Task<Answered> Counter::emit(TenantId tenant_id, Nova nova)
{
    std::optional<Answered> known;
    bool was_in_doubt = false;
    bool is_new = true;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        known.reset();
        if (nova.key) {
            const auto of_key = find_by_key(transaction, tenant_id, *nova.key);
            if (!of_key) return std::unexpected(of_key.error());
            const bool is_other =
                *of_key && (*of_key)->identidade.id_idempotencia != nova.identidade.id_idempotencia;
            if (is_other) {
                known = refuse(key_reused(**of_key));
                return {};
            }
        }
        const auto found =
            find_by_id_idempotencia(transaction, tenant_id, nova.identidade.id_idempotencia);
        if (!found) return std::unexpected(found.error());
        is_new = !*found;
        if (*found) {
            was_in_doubt = is_in_doubt((*found)->estado);
            known = answer_from_row(**found, nova);
        } else if (module_.needs().check_number) {
            const auto problem =
                module_.needs().check_number(transaction, tenant_id, nova.identidade);
            if (!problem) return std::unexpected(problem.error());
            if (*problem) known = refuse(**problem);
        }
        return {};
    };
    auto reading = module_.database().async_read(std::move(closure));
    const Result<void> done = co_await std::move(reading);
    if (!done) co_return refuse(problem_of(done.error(), true));
    if (known) co_return *std::move(known);
    if (!was_in_doubt) {
        if (auto problem = check(module_, nova.identidade)) co_return refuse(*std::move(problem));
    }
    auto serving = serve([&] { return emit_now(tenant_id, nova, was_in_doubt); });
    co_return co_await std::move(serving);
}

Answered Counter::emit_now(const TenantId& tenant_id, const Nova& nova, bool was_in_doubt)
{
    // Whoever asks about a document in doubt does not send it anew, should that one turn out to be refused.
    const auto driven = fiscal::emit(
        module_, tenant_id, nova.identidade.id_idempotencia, was_in_doubt ? nullptr : &nova
    );
    if (!driven) return refuse(problem_of(driven.error(), true));
    const auto seen = look(module_.database(), tenant_id, nova.identidade.id_idempotencia);
    if (!seen) return refuse(problem_of(seen.error(), true));
    const Ended ended = driven->ended.value_or(Ended{});
    if (!seen->documento) {
        if (nova.key) {
            const auto of_key = modules::read(module_.database(), [&](Transaction& transaction) {
                return find_by_key(transaction, tenant_id, *nova.key);
            });
            if (of_key && *of_key) return refuse(key_reused(**of_key));
        }
        if (auto answer = answer_of(*driven)) return *std::move(answer);
        return refuse(not_taken(std::nullopt, ended));
    }
    const Documento& documento = *seen->documento;
    const bool is_ours_now = driven->ended && ended.how == How::finished && !ended.was_found;
    switch (documento.estado) {
        case Estado::autorizado:
        case Estado::cancelamento_pendente:
        case Estado::cancelamento_em_analise:
            if (is_ours_now) return settled_response(201, documento, Origem::emissao);
            if (ended.was_found || was_in_doubt) {
                return settled_response(200, documento, Origem::conciliacao);
            }
            return settled_response(200, documento, Origem::cache);
        case Estado::transmitido:
        case Estado::indeterminado:
            if (auto answer = answer_of(*driven)) return *std::move(answer);
            if (bytes_of(documento, nova) == PostedBytes::others)
                return refuse(in_doubt(documento));
            return pending_response(
                documento, was_in_doubt ? Origem::conciliacao : Origem::emissao, seen->now
            );
        case Estado::rejeitado:
            if (auto answer = answer_of(*driven)) return *std::move(answer);
            if (was_in_doubt || ended.was_found) {
                return refuse(rejected(documento, Origem::conciliacao));
            }
            // An older rejection says nothing about these bytes, if nobody has looked at them.
            if (ended.word != Word::refused && ended.word != Word::absent) {
                return refuse(not_taken(documento, ended));
            }
            return refuse(rejected(documento, Origem::emissao));
        case Estado::denegado: return refuse(rejected(documento, Origem::emissao));
        case Estado::reservado:
            if (auto answer = answer_of(*driven)) return *std::move(answer);
            return refuse(not_taken(documento, ended));
        case Estado::cancelado:
        case Estado::substituido:
        case Estado::inutilizacao_pendente:
        case Estado::inutilizado: break;
    }
    return refuse(wrong_state(documento));
}

Task<Answered> Counter::cancel(TenantId tenant_id, std::int64_t id, std::string justificativa)
{
    auto finding = find(std::move(tenant_id), id);
    const auto documento = co_await std::move(finding);
    if (!documento) co_return refuse(documento.error());
    if (documento->estado == Estado::cancelado) {
        co_return settled_response(200, *documento, Origem::cache);
    }
    const bool begins = documento->estado == Estado::autorizado;
    if (!begins && !is_cancelling(documento->estado)) co_return refuse(wrong_state(*documento));
    if (begins) {
        if (auto problem = check(module_, documento->identidade)) {
            co_return refuse(*std::move(problem));
        }
    }
    auto serving = serve([&] { return cancel_now(*documento, justificativa); });
    co_return co_await std::move(serving);
}

Answered Counter::cancel_now(const Documento& documento, const std::string& justificativa)
{
    // Whoever asks about a cancellation that is pending does not ask for another, should that one be refused.
    const bool was_pending = is_cancelling(documento.estado);
    const auto driven = fiscal::cancel(module_, documento, was_pending ? nullptr : &justificativa);
    if (!driven) return refuse(problem_of(driven.error(), true));
    const auto seen =
        look(module_.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return refuse(problem_of(seen.error(), true));
    if (!seen->documento) return refuse(wrong_state(documento));
    const Documento& now = *seen->documento;
    const Ended ended = driven->ended.value_or(Ended{});
    const bool is_ours_now = driven->ended && ended.how == How::finished && !ended.was_found;
    if (now.estado == Estado::cancelado) {
        if (is_ours_now) return settled_response(200, now, Origem::emissao);
        const bool was_found = ended.was_found || was_pending;
        return settled_response(200, now, was_found ? Origem::conciliacao : Origem::cache);
    }
    if (auto answer = answer_of(*driven)) return *std::move(answer);
    if (is_cancelling(now.estado)) {
        return pending_response(
            now, was_pending ? Origem::conciliacao : Origem::emissao, seen->now
        );
    }
    if (now.estado != Estado::autorizado) return refuse(wrong_state(now));
    if (ended.word == Word::refused || (was_pending && ended.how == How::gave_up)) {
        return refuse(cancellation_refused(now, was_pending ? Origem::conciliacao : Origem::emissao)
        );
    }
    if (!ended.word && !ended.is_blocked && ended.how == How::gave_up) {
        return refuse(not_configured(ended.detail));
    }
    return refuse(not_taken(now, ended));
}

Task<Answered> Counter::reconcile(TenantId tenant_id, std::int64_t id)
{
    auto finding = find(std::move(tenant_id), id);
    const auto documento = co_await std::move(finding);
    if (!documento) co_return refuse(documento.error());
    const Estado estado = documento->estado;
    const bool can_be_asked =
        is_in_doubt(estado) || is_cancelling(estado) || estado == Estado::autorizado;
    if (!can_be_asked) co_return settled_response(200, *documento, Origem::cache);
    auto serving = serve([&] { return reconcile_now(*documento); });
    co_return co_await std::move(serving);
}

Answered Counter::reconcile_now(const Documento& documento)
{
    Ended asked{.how = How::finished};
    if (documento.estado == Estado::autorizado) {
        asked = ask_about(module_, documento);
    } else {
        const auto worked = work_on(module_, documento);
        if (!worked) return refuse(problem_of(worked.error(), true));
    }
    const auto seen =
        look(module_.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return refuse(problem_of(seen.error(), true));
    if (!seen->documento) return refuse(modules::not_found("documento fiscal", documento.id));
    const Documento& now = *seen->documento;
    if (is_in_doubt(now.estado) || is_cancelling(now.estado)) {
        return pending_response(now, Origem::conciliacao, seen->now);
    }
    if (asked.how == How::open && !now.alerta) return refuse(not_taken(now, asked));
    return settled_response(200, now, Origem::conciliacao);
}

}  // namespace umavez::fiscal
