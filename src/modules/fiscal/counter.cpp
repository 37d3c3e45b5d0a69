#include "modules/fiscal/counter.hpp"

#include "base/digest.hpp"
#include "key_protocol/outcome_problem.hpp"
#include "modules/fiscal/cancellation.hpp"
#include "modules/fiscal/fiscal_worker.hpp"
#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/rules/post_rule.hpp"
#include "modules/parts/answers.hpp"
#include "modules/parts/read.hpp"

#include <algorithm>
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

constexpr Duration busy_wait = std::chrono::seconds{1};

bool has_bytes_of(const Documento& documento, const Nova& nova)
{
    return documento.xml_sha256 == to_hex(sha256(nova.xml));
}

// An NFC-e of contingency: issued without the authority, and sent to it later.
bool is_offline(const Identidade& identidade)
{
    if (identidade.tipo != Tipo::nfce || !identidade.id_autoridade) return false;
    const auto key = AccessKey::parse(*identidade.id_autoridade);
    return key && key->tp_emis() == "9";
}

// Something of it may be at the authority.
bool was_or_is_sent(const Documento& documento)
{
    return documento.tentativas > 0 && !is_final(documento.estado) &&
           !is_cancelling(documento.estado) && documento.estado != Estado::inutilizacao_pendente;
}

// What a POST met.
struct Met {
    std::optional<Documento> documento;
    std::optional<Answered> answer;  // nullopt: something has to be done
    bool brings_key = false;         // a key that the document does not have yet
};

// The authority holds another document than was sent, and what is posted may be that one.
bool may_be_the_other(const Documento& documento)
{
    return documento.estado == Estado::indeterminado &&
           documento.alerta == describe(Concern::not_ours);
}

// What the row alone says to a POST. Nullopt: something has to be done.
Result<std::optional<Answered>> answer_from_row(
    Transaction& transaction, const Documento& documento, const Nova& nova
)
{
    const std::string digest = to_hex(sha256(nova.xml));
    const auto bytes = documento.xml_sha256 == digest ? PostedBytes::same : PostedBytes::others;
    const auto refusals = count_refusals(
        transaction, documento.id, digest, transaction.now() - equal_refusals_within
    );
    if (!refusals) return std::unexpected(refusals.error());
    const PostedTo found{documento.estado, documento.substituto_id.has_value(), *refusals};
    switch (post_step(found, bytes)) {
        case PostStep::answer_from_cache: return settled_response(200, documento, Origem::cache);
        case PostStep::repeat_refusal: return refuse(refused_so_often(documento));
        case PostStep::refuse_in_doubt:
            if (may_be_the_other(documento)) break;
            return refuse(in_doubt(documento));
        case PostStep::refuse_for_good: return refuse(wrong_state(documento));
        case PostStep::send:
        case PostStep::send_new_version:
        case PostStep::conciliate: break;
    }
    return std::nullopt;
}

// Whether the number of a document that is not there yet may be used.
Result<std::optional<Answered>> check_number(
    const Module& module, Transaction& transaction, const TenantId& tenant_id, const Nova& nova
)
{
    // The authority would take it: to it, another way of issuing is another document.
    if (nova.identidade.tipo == Tipo::nfce) {
        const std::int64_t numero = nova.identidade.numero;
        const auto used = find_numbers(transaction, tenant_id, nova.identidade, numero, numero);
        if (!used) return std::unexpected(used.error());
        const auto other = std::ranges::find_if(*used, [&](const Documento& documento) {
            return documento.identidade.id_idempotencia != nova.identidade.id_idempotencia;
        });
        if (other != used->end()) return refuse(number_in_use(*other));
    }
    if (!module.needs().check_number) return std::nullopt;
    const auto problem =
        module.needs().check_number(transaction, tenant_id, nova.identidade, NumberCheck::to_tell);
    if (!problem) return std::unexpected(problem.error());
    if (!*problem) return std::nullopt;
    return refuse(**problem);
}

// Whether the document that a new one names can have its place taken by it.
Result<std::optional<http::Problem>> check_substitution(
    Transaction& transaction, const TenantId& tenant_id, const Nova& nova
)
{
    using Problem = std::optional<http::Problem>;
    if (!nova.substitui) return std::nullopt;
    const auto refuse_it = [&](const char* english, const char* portuguese) {
        return Problem{no_substitution(*nova.substitui, {english, portuguese})};
    };
    if (!is_offline(nova.identidade)) {
        return refuse_it(
            "the new note is no NFC-e that was issued off-line (tpEmis 9)",
            "a nova nota não é uma NFC-e emitida off-line (tpEmis 9)"
        );
    }
    const auto found = find_documento(transaction, tenant_id, *nova.substitui);
    if (!found) return std::unexpected(found.error());
    const Documento* const other = *found ? &**found : nullptr;
    const bool is_kin = other != nullptr && other->identidade.tipo == Tipo::nfce &&
                        other->identidade.emitente == nova.identidade.emitente &&
                        other->identidade.ambiente == nova.identidade.ambiente &&
                        other->identidade.id_idempotencia != nova.identidade.id_idempotencia;
    if (!is_kin) {
        return refuse_it(
            "there is no such NFC-e of this issuer in this environment",
            "não há tal NFC-e deste emitente neste ambiente"
        );
    }
    if (!was_or_is_sent(*other)) {
        return refuse_it(
            "that document was never sent, or is final",
            "esse documento nunca foi enviado, ou é final"
        );
    }
    const auto self =
        find_by_id_idempotencia(transaction, tenant_id, nova.identidade.id_idempotencia);
    if (!self) return std::unexpected(self.error());
    if (*self && (*self)->substituto_id) {
        return refuse_it(
            "another document took the place of the new one itself",
            "outro documento já substituiu o próprio novo"
        );
    }
    const auto is_free = has_free_place(transaction, *other);
    if (!is_free) return std::unexpected(is_free.error());
    if (*is_free || (*self && other->substituto_id == (*self)->id)) return std::nullopt;
    return refuse_it("another document took its place already", "outro documento já o substituiu");
}

Result<Met> meet(
    const Module& module, Transaction& transaction, const TenantId& tenant_id, const Nova& nova
)
{
    Met met;
    if (nova.key) {
        const auto of_key = find_by_key(transaction, tenant_id, *nova.key);
        if (!of_key) return std::unexpected(of_key.error());
        met.brings_key = !*of_key;
        const bool is_other =
            *of_key && (*of_key)->identidade.id_idempotencia != nova.identidade.id_idempotencia;
        if (is_other) {
            met.answer = refuse(key_reused(**of_key));
            return met;
        }
    }
    auto problem = check_substitution(transaction, tenant_id, nova);
    if (!problem) return std::unexpected(problem.error());
    if (*problem) {
        met.answer = refuse(**std::move(problem));
        return met;
    }
    auto found = find_by_id_idempotencia(transaction, tenant_id, nova.identidade.id_idempotencia);
    if (!found) return std::unexpected(found.error());
    met.documento = *std::move(found);
    auto answer = met.documento ? answer_from_row(transaction, *met.documento, nova)
                                : check_number(module, transaction, tenant_id, nova);
    if (!answer) return std::unexpected(answer.error());
    met.answer = *std::move(answer);
    return met;
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
    Met met;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto seen = meet(module_, transaction, tenant_id, nova);
        if (!seen) return std::unexpected(seen.error());
        met = *std::move(seen);
        return {};
    };
    auto reading = module_.database().async_read(std::move(closure));
    const Result<void> done = co_await std::move(reading);
    if (!done) co_return refuse(problem_of(done.error(), true));
    // A refusal is nothing that a key should be remembered for.
    if (met.answer && !*met.answer) co_return *std::move(met.answer);
    if (met.documento && (met.brings_key || nova.substitui)) {
        auto keeping = keep_late(*met.documento, nova);
        if (auto problem = co_await std::move(keeping)) co_return refuse(*std::move(problem));
    }
    if (met.answer) co_return *std::move(met.answer);
    const bool was_in_doubt = met.documento && is_in_doubt(met.documento->estado);
    if (!was_in_doubt) {
        if (auto problem = check(module_, nova.identidade)) co_return refuse(*std::move(problem));
    }
    const bool is_other = was_in_doubt && !has_bytes_of(*met.documento, nova);
    auto serving = serve([&] {
        return is_other ? compare_now(*met.documento, nova)
                        : emit_now(tenant_id, nova, was_in_doubt);
    });
    co_return co_await std::move(serving);
}

Task<std::optional<http::Problem>> Counter::keep_late(Documento documento, Nova nova)
{
    std::optional<Documento> owner;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        owner.reset();
        if (nova.substitui) {
            if (auto done = replace(transaction, documento, *nova.substitui); !done) return done;
        }
        if (!nova.key) return {};
        const auto is_kept = keep_key(transaction, documento, nova.key->text());
        if (!is_kept) return std::unexpected(is_kept.error());
        if (*is_kept) return {};
        auto found = find_by_key(transaction, documento.tenant_id, *nova.key);
        if (!found) return std::unexpected(found.error());
        owner = found->value_or(documento);
        return {};
    };
    auto writing = module_.database().async_transact(std::move(closure));
    const Result<void> done = co_await std::move(writing);
    if (!done && done.error().code == Errc::lease_lost) co_return busy(busy_wait);
    if (!done) co_return problem_of(done.error(), true);
    if (owner) co_return key_reused(*owner);
    co_return std::nullopt;
}

Answered Counter::compare_now(const Documento& documento, const Nova& nova)
{
    const Ended ended = ask_about(module_, documento, &nova);
    if (ended.how == How::trouble) {
        return refuse(problem_of(Error{Errc::store_unavailable, ended.detail, {}}, true));
    }
    if (ended.how != How::finished) return refuse(in_doubt(documento));
    // The row is decided, and closes the key.
    const auto driven = fiscal::emit(
        module_, documento.tenant_id, documento.identidade.id_idempotencia, nullptr, When::now
    );
    if (!driven) return refuse(problem_of(driven.error(), true));
    if (auto answer = answer_of(*driven)) return *std::move(answer);
    const auto seen =
        look(module_.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return refuse(problem_of(seen.error(), true));
    if (!seen->documento) return refuse(in_doubt(documento));
    return settled_response(200, *seen->documento, Origem::conciliacao);
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
        const auto problem = modules::read(module_.database(), [&](Transaction& transaction) {
            return check_number(module_, transaction, tenant_id, nova);
        });
        if (problem && *problem) return **problem;
        if (auto answer = answer_of(*driven)) return *std::move(answer);
        return refuse(not_taken(std::nullopt, ended));
    }
    const Documento& documento = *seen->documento;
    const bool is_ours_now = driven->ended && ended.how == How::finished && !ended.was_found;
    const Origem found_origem = is_ours_now ? Origem::emissao : Origem::conciliacao;
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
            if (!has_bytes_of(documento, nova)) return refuse(in_doubt(documento));
            return pending_response(
                documento, was_in_doubt ? Origem::conciliacao : Origem::emissao, seen->now
            );
        case Estado::rejeitado:
            if (auto answer = answer_of(*driven)) return *std::move(answer);
            if (documento.substituto_id) return refuse(wrong_state(documento));
            if (was_in_doubt || ended.was_found) {
                return refuse(rejected(documento, Origem::conciliacao));
            }
            // An older rejection says nothing about these bytes, if nobody has looked at them.
            if (ended.word != Word::refused && ended.word != Word::absent) {
                return refuse(not_taken(documento, ended));
            }
            return refuse(rejected(documento, Origem::emissao));
        case Estado::denegado: return refuse(rejected(documento, found_origem));
        case Estado::reservado:
            if (auto answer = answer_of(*driven)) return *std::move(answer);
            if (documento.substituto_id) return refuse(wrong_state(documento));
            return refuse(not_taken(documento, ended));
        case Estado::cancelado:
        case Estado::substituido:
        case Estado::inutilizacao_pendente:
        case Estado::inutilizado: break;
    }
    const bool is_news = was_in_doubt || ended.was_found;
    return refuse(wrong_state(documento, is_news ? Origem::conciliacao : Origem::cache));
}

Task<Answered> Counter::cancel(TenantId tenant_id, std::int64_t id, std::string justificativa)
{
    auto finding = find(std::move(tenant_id), id);
    const auto documento = co_await std::move(finding);
    if (!documento) co_return refuse(documento.error());
    const bool is_replaced = documento->substituto_id && documento->estado == Estado::substituido;
    if (documento->estado == Estado::cancelado || is_replaced) {
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
    if (!was_pending && documento.substituto_id) {
        const auto substitute = modules::read(module_.database(), [&](Transaction& transaction) {
            return find_documento(transaction, documento.tenant_id, *documento.substituto_id);
        });
        if (!substitute) return refuse(problem_of(substitute.error(), true));
        // One that came to nothing takes no place: then it is an ordinary cancellation.
        const bool is_waited_for = *substitute && !is_final((*substitute)->estado) &&
                                   (*substitute)->estado != Estado::autorizado;
        if (is_waited_for) return refuse(substitute_not_ready(documento));
    }
    const auto driven = fiscal::cancel(
        module_,
        documento.tenant_id,
        documento.identidade.id_idempotencia,
        was_pending ? nullptr : &justificativa
    );
    if (!driven) return refuse(problem_of(driven.error(), true));
    const auto seen =
        look(module_.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return refuse(problem_of(seen.error(), true));
    if (!seen->documento) return refuse(wrong_state(documento));
    const Documento& now = *seen->documento;
    const Ended ended = driven->ended.value_or(Ended{});
    const bool is_ours_now = driven->ended && ended.how == How::finished && !ended.was_found;
    if (now.estado == Estado::cancelado || now.estado == Estado::substituido) {
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
        is_open(estado) || (!is_final(estado) && documento->identidade.id_autoridade);
    if (!can_be_asked) co_return settled_response(200, *documento, Origem::cache);
    auto serving = serve([&] { return reconcile_now(*documento); });
    co_return co_await std::move(serving);
}

Answered Counter::reconcile_now(const Documento& documento)
{
    Ended asked{.how = How::finished};
    if (is_open(documento.estado)) {
        const auto worked = work_on(module_, documento, When::now);
        if (!worked) return refuse(problem_of(worked.error(), true));
    } else {
        asked = ask_about(module_, documento);
    }
    const auto seen =
        look(module_.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return refuse(problem_of(seen.error(), true));
    if (!seen->documento) return refuse(modules::not_found("documento fiscal", documento.id));
    const Documento& now = *seen->documento;
    if (is_open(now.estado)) return pending_response(now, Origem::conciliacao, seen->now);
    if (asked.how == How::trouble) {
        return refuse(problem_of(Error{Errc::store_unavailable, asked.detail, {}}, true));
    }
    if (asked.is_certificate_refused || (asked.how == How::open && !now.alerta)) {
        return refuse(not_asked(now, asked));
    }
    return settled_response(200, now, Origem::conciliacao);
}

}  // namespace umavez::fiscal
