#include "modules/fiscal/rules/next_step.hpp"

// By act, and within it by the state the document is in:
//
//     emit                      sent · not sent · known already
//     cancel                    pending · authorised · under analysis · not authorised
//     void_number               asked for · anything else
//     consult, consult_cancel   sent · not sent · authorised · pending · under analysis · being voided
//     final states stay what they are, whatever was asked

namespace umavez::fiscal {
namespace {

using enum Estado;

// The state that a word names by itself.
std::optional<Estado> named_by(Word word) noexcept
{
    switch (word) {
        case Word::authorised: return autorizado;
        case Word::cancelled: return cancelado;
        case Word::substituted: return substituido;
        case Word::under_analysis: return cancelamento_em_analise;
        case Word::denied: return denegado;
        case Word::voided:
        case Word::refused:
        case Word::exists:
        case Word::absent:
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: break;
    }
    return std::nullopt;
}

std::optional<Concern> concern_of_code(Word word, const Circumstance& circumstance) noexcept
{
    if (word == Word::unknown && circumstance.has_code) return Concern::unlisted_code;
    return std::nullopt;
}

// What a document is while nobody knows whether this was done.
Estado doubt_of(Act act) noexcept
{
    switch (act) {
        case Act::cancel:
        case Act::consult_cancel: return cancelamento_pendente;
        case Act::void_number: return inutilizacao_pendente;
        case Act::emit:
        case Act::consult: break;
    }
    return indeterminado;
}

// Nothing was stored by this call: again, or back to where it was. What was in doubt before stays so.
NextStep again_or_back(Estado from, Act act, Word word, const Circumstance& circumstance) noexcept
{
    const bool may_wait = circumstance.may_try_again && word != Word::throttled;
    if (may_wait) return {from, Then::wait};
    const Estado before = circumstance.before;
    const bool has_way_back =
        act == Act::cancel ? before == autorizado : (before == reservado || before == rejeitado);
    if (has_way_back && may_become(from, before)) return {before, Then::let_go};
    return {doubt_of(act), Then::give_up_for_now};
}

// A question that was not answered.
NextStep ask_again(Estado to, Word word, const Circumstance& circumstance) noexcept
{
    const bool may_wait = circumstance.may_try_again && word != Word::throttled;
    return {to, may_wait ? Then::wait : Then::give_up_for_now, concern_of_code(word, circumstance)};
}

NextStep in_final(Estado from, Word word) noexcept
{
    const auto named = named_by(word);
    const bool disagrees =
        (named && *named != from) || (word == Word::absent && from != inutilizado);
    if (disagrees) return {from, Then::finish, Concern::contradiction};
    return {from, Then::finish};
}

// Calls that were not answered came before this one.
bool was_emission_in_doubt(Estado before) noexcept
{
    return before == transmitido || before == indeterminado;
}

NextStep emit_sent(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    switch (word) {
        case Word::authorised:
            if (circumstance.is_ours == false) {
                return {indeterminado, Then::give_up_for_now, Concern::not_ours};
            }
            if (circumstance.is_replaced) return {autorizado, Then::finish, Concern::replaced};
            return {autorizado, Then::finish};
        case Word::refused:
            // Of this copy. An earlier one may still be authorised.
            if (was_emission_in_doubt(circumstance.before)) return {indeterminado, Then::consult};
            return {rejeitado, Then::let_go};
        case Word::denied: return {denegado, Then::finish};
        case Word::later:
        case Word::throttled:
        case Word::unreached: return again_or_back(from, Act::emit, word, circumstance);
        case Word::exists: return {indeterminado, Then::consult};
        case Word::unknown:
            return {indeterminado, Then::consult, concern_of_code(word, circumstance)};
        case Word::cancelled:
        case Word::substituted:
        case Word::under_analysis:
        case Word::voided:
        case Word::absent: break;
    }
    return {indeterminado, Then::consult, Concern::unexpected_word};
}

// The answer to an emission that our row does not know of. Doubt is the safe side.
NextStep emit_unsent(Estado from, Word word) noexcept
{
    switch (word) {
        case Word::authorised: return {autorizado, Then::finish, Concern::done_elsewhere};
        case Word::denied: return {denegado, Then::finish, Concern::done_elsewhere};
        case Word::refused:
        case Word::later:
        case Word::throttled:
        case Word::unreached: return {from, Then::let_go};
        case Word::cancelled:
        case Word::substituted:
        case Word::under_analysis:
        case Word::voided:
        case Word::exists:
        case Word::absent:
        case Word::unknown: break;
    }
    const Estado to = may_become(from, indeterminado) ? indeterminado : from;
    return {to, Then::consult, Concern::unexpected_word};
}

NextStep after_emit(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    switch (from) {
        case transmitido:
        case indeterminado: return emit_sent(from, word, circumstance);
        case reservado:
        case rejeitado:
        case inutilizacao_pendente: return emit_unsent(from, word);
        case autorizado:
        case cancelamento_pendente:
        case cancelamento_em_analise:
            if (word == Word::authorised) return {from, Then::finish};
            return {from, Then::finish, Concern::unexpected_word};
        case denegado:
        case cancelado:
        case substituido:
        case inutilizado: break;
    }
    return in_final(from, word);
}

NextStep cancel_pending(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    switch (word) {
        case Word::cancelled: return {cancelado, Then::finish};
        case Word::substituted: return {substituido, Then::finish};
        case Word::refused:
            // Of this copy. An earlier one may still be registered.
            if (circumstance.before == cancelamento_pendente) {
                return {cancelamento_pendente, Then::consult};
            }
            return {autorizado, Then::let_go};
        case Word::under_analysis: return {cancelamento_em_analise, Then::give_up_for_now};
        case Word::later:
        case Word::throttled:
        case Word::unreached: return again_or_back(from, Act::cancel, word, circumstance);
        case Word::exists: return {cancelamento_pendente, Then::consult};
        case Word::unknown:
            return {cancelamento_pendente, Then::consult, concern_of_code(word, circumstance)};
        case Word::authorised:
        case Word::denied:
        case Word::voided:
        case Word::absent: break;
    }
    return {cancelamento_pendente, Then::consult, Concern::unexpected_word};
}

NextStep cancel_in_analysis(Word word) noexcept
{
    if (word == Word::cancelled) return {cancelado, Then::finish};
    if (word == Word::under_analysis) return {cancelamento_em_analise, Then::give_up_for_now};
    return {cancelamento_em_analise, Then::consult};
}

NextStep after_cancel(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    switch (from) {
        // From AUTORIZADO: whoever sent it had not written that down. It is pending from now on.
        case autorizado:
        case cancelamento_pendente: return cancel_pending(from, word, circumstance);
        case cancelamento_em_analise: return cancel_in_analysis(word);
        case reservado:
        case transmitido:
        case indeterminado:
        case rejeitado:
        case inutilizacao_pendente: return {from, Then::consult, Concern::unexpected_word};
        case denegado:
        case cancelado:
        case substituido:
        case inutilizado: break;
    }
    return in_final(from, word);
}

NextStep consult_sent(Word word, const Circumstance& circumstance) noexcept
{
    if (named_by(word) && circumstance.is_ours == false) {
        return {indeterminado, Then::give_up_for_now, Concern::not_ours};
    }
    switch (word) {
        case Word::authorised:
            if (circumstance.is_replaced) return {autorizado, Then::finish, Concern::replaced};
            return {autorizado, Then::finish};
        case Word::cancelled: return {cancelado, Then::finish, Concern::done_elsewhere};
        case Word::substituted: return {substituido, Then::finish, Concern::done_elsewhere};
        case Word::under_analysis:
            return {cancelamento_em_analise, Then::finish, Concern::done_elsewhere};
        case Word::denied: return {denegado, Then::finish};
        case Word::absent:
            if (!circumstance.is_settled) return ask_again(indeterminado, word, circumstance);
            if (circumstance.was_refused) return {rejeitado, Then::let_go};
            if (circumstance.is_replaced) return {rejeitado, Then::let_go};
            if (circumstance.was_unclear) return {rejeitado, Then::let_go, Concern::unlisted_code};
            return {transmitido, Then::resend_same_bytes};
        case Word::refused:
            // The answer to what was sent last, which came later: by a receipt.
            if (circumstance.is_settled) return {rejeitado, Then::let_go};
            return ask_again(indeterminado, word, circumstance);
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: return ask_again(indeterminado, word, circumstance);
        case Word::voided:
        case Word::exists: break;
    }
    return {indeterminado, Then::give_up_for_now, Concern::unexpected_word};
}

// As far as we know there is nothing to be found.
NextStep consult_unsent(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    if (word == Word::absent) return {from, Then::finish};
    if (const auto named = named_by(word)) {
        if (circumstance.is_ours == false) return {from, Then::finish, Concern::not_ours};
        return {*named, Then::finish, Concern::done_elsewhere};
    }
    if (word == Word::refused || word == Word::exists || word == Word::voided) {
        return {from, Then::give_up_for_now, Concern::unexpected_word};
    }
    return ask_again(from, word, circumstance);
}

NextStep consult_authorised(Word word, const Circumstance& circumstance) noexcept
{
    switch (word) {
        case Word::authorised:
            if (circumstance.is_ours == false) return {autorizado, Then::finish, Concern::not_ours};
            return {autorizado, Then::finish};
        case Word::cancelled: return {cancelado, Then::finish, Concern::done_elsewhere};
        case Word::substituted: return {substituido, Then::finish, Concern::done_elsewhere};
        case Word::under_analysis:
            return {cancelamento_em_analise, Then::finish, Concern::done_elsewhere};
        case Word::denied:
        case Word::absent: return {autorizado, Then::finish, Concern::contradiction};
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: return ask_again(autorizado, word, circumstance);
        case Word::voided:
        case Word::refused:
        case Word::exists: break;
    }
    return {autorizado, Then::give_up_for_now, Concern::unexpected_word};
}

// CANCELAMENTO_PENDENTE and CANCELAMENTO_EM_ANALISE.
NextStep consult_cancellation(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    switch (word) {
        case Word::cancelled: return {cancelado, Then::finish};
        case Word::substituted: return {substituido, Then::finish};
        case Word::under_analysis: return {cancelamento_em_analise, Then::give_up_for_now};
        case Word::authorised:
            // The tax office said no.
            if (from == cancelamento_em_analise) return {autorizado, Then::let_go};
            // There is no such event.
            if (!circumstance.is_settled) return ask_again(from, word, circumstance);
            if (circumstance.was_refused) return {autorizado, Then::let_go};
            if (circumstance.was_unclear) return {autorizado, Then::let_go, Concern::unlisted_code};
            return {cancelamento_pendente, Then::resend_same_bytes};
        case Word::denied:
        case Word::absent: return {from, Then::give_up_for_now, Concern::contradiction};
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: return ask_again(from, word, circumstance);
        case Word::voided:
        case Word::refused:
        case Word::exists: break;
    }
    return {from, Then::give_up_for_now, Concern::unexpected_word};
}

NextStep void_asked_for(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    const Estado before = circumstance.before;
    const Estado back = before == rejeitado ? rejeitado : reservado;
    switch (word) {
        case Word::voided: return {inutilizado, Then::finish};
        // Also of a second copy: it is sent only when the first was registered, and is told so, or never
        // will be.
        case Word::refused: return {back, Then::let_go};
        case Word::exists: return {inutilizacao_pendente, Then::consult};
        case Word::later:
        case Word::throttled:
        case Word::unreached: return again_or_back(from, Act::void_number, word, circumstance);
        case Word::unknown:
            return {
                inutilizacao_pendente, Then::give_up_for_now, concern_of_code(word, circumstance)
            };
        case Word::authorised:
        case Word::cancelled:
        case Word::substituted:
        case Word::under_analysis:
        case Word::denied:
        case Word::absent: break;
    }
    return {inutilizacao_pendente, Then::give_up_for_now, Concern::unexpected_word};
}

NextStep after_void(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    switch (from) {
        case inutilizacao_pendente: return void_asked_for(from, word, circumstance);
        // Nobody may ask for that, or had not written it down.
        case reservado:
        case rejeitado:
            return {inutilizacao_pendente, Then::give_up_for_now, Concern::unexpected_word};
        case transmitido:
        case indeterminado:
        case autorizado:
        case cancelamento_pendente:
        case cancelamento_em_analise:
            return {from, Then::give_up_for_now, Concern::unexpected_word};
        case denegado:
        case cancelado:
        case substituido:
        case inutilizado: break;
    }
    return in_final(from, word);
}

// The number is said to be in use.
NextStep consult_voiding(Word word, const Circumstance& circumstance) noexcept
{
    if (named_by(word) && circumstance.is_ours == false) {
        return {reservado, Then::let_go, Concern::not_ours};
    }
    if (const auto named = named_by(word)) return {*named, Then::finish, Concern::done_elsewhere};
    if (word == Word::absent) {
        return {inutilizacao_pendente, Then::give_up_for_now, Concern::contradiction};
    }
    if (word == Word::refused || word == Word::exists || word == Word::voided) {
        return {inutilizacao_pendente, Then::give_up_for_now, Concern::unexpected_word};
    }
    return ask_again(inutilizacao_pendente, word, circumstance);
}

NextStep after_consult(Estado from, Word word, const Circumstance& circumstance) noexcept
{
    switch (from) {
        case transmitido:
        case indeterminado: return consult_sent(word, circumstance);
        case reservado:
        case rejeitado: return consult_unsent(from, word, circumstance);
        case inutilizacao_pendente: return consult_voiding(word, circumstance);
        case autorizado: return consult_authorised(word, circumstance);
        case cancelamento_pendente:
        case cancelamento_em_analise: return consult_cancellation(from, word, circumstance);
        case denegado:
        case cancelado:
        case substituido:
        case inutilizado: break;
    }
    return in_final(from, word);
}

}  // namespace

NextStep next_step(Estado from, Act act, Word word, const Circumstance& circumstance) noexcept
{
    switch (act) {
        case Act::emit: return after_emit(from, word, circumstance);
        case Act::cancel: return after_cancel(from, word, circumstance);
        case Act::void_number: return after_void(from, word, circumstance);
        case Act::consult:
        case Act::consult_cancel: break;
    }
    return after_consult(from, word, circumstance);
}

std::string_view to_text(Act act) noexcept
{
    switch (act) {
        case Act::emit: return "emit";
        case Act::consult: return "consult";
        case Act::cancel: return "cancel";
        case Act::consult_cancel: return "consult_cancel";
        case Act::void_number: return "void_number";
    }
    return "";
}

std::string_view to_text(Then then) noexcept
{
    switch (then) {
        case Then::finish: return "finish";
        case Then::let_go: return "let_go";
        case Then::resend_same_bytes: return "resend_same_bytes";
        case Then::consult: return "consult";
        case Then::wait: return "wait";
        case Then::give_up_for_now: return "give_up_for_now";
    }
    return "";
}

std::string_view to_text(Concern concern) noexcept
{
    switch (concern) {
        case Concern::unexpected_word: return "unexpected_word";
        case Concern::unlisted_code: return "unlisted_code";
        case Concern::not_ours: return "not_ours";
        case Concern::contradiction: return "contradiction";
        case Concern::done_elsewhere: return "done_elsewhere";
        case Concern::replaced: return "replaced";
        case Concern::reissued: return "reissued";
        case Concern::certificate_refused: return "certificate_refused";
    }
    return "";
}

std::string_view describe(Concern concern) noexcept
{
    switch (concern) {
        case Concern::unexpected_word: return "the authority's answer does not fit the question";
        case Concern::unlisted_code:
            return "the authority answered with a code that tells us nothing";
        case Concern::not_ours: return "the authority holds another document under this number";
        case Concern::contradiction: return "the authority contradicts what it said before";
        case Concern::done_elsewhere: return "the authority knows of something that we did not do";
        case Concern::replaced:
            return "another document took its place and it is authorised: cancel it by "
                   "substitution";
        case Concern::reissued:
            return "it was sent twice: the authority cancelled a note and issued another one";
        case Concern::certificate_refused:
            return "the authority does not take the certificate of the issuer";
    }
    return "";
}

}  // namespace umavez::fiscal
