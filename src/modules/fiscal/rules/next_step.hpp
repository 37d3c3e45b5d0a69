#pragma once

// next_step(): what an answer of an authority leads to. Pure, thread-safe.
//
// Every (Estado, Act, Word) leads somewhere, to a state that the table of estado.hpp allows, and never by an
// exception: what nobody expected stays in doubt and is a Concern, for a person to look at. In short:
//
//     emit             authorised → AUTORIZADO · denied → DENEGADO
//                      refused → REJEITADO; but while an earlier copy may be under way that refusal is not
//                      the last word → INDETERMINADO, and a consult
//                      later, unreached, throttled → as before it was sent, since nothing was stored
//                      exists, unknown, anything else → INDETERMINADO, and a consult
//     consult          authorised, cancelled, substituted, under_analysis, denied → that
//                      absent → the same bytes again, once that is to be believed; REJEITADO if they were
//                      refused, or answered with a code that nobody knows
//                      anything else proves nothing → INDETERMINADO
//     cancel           cancelled → CANCELADO · under_analysis → …_EM_ANALISE
//                      refused → AUTORIZADO; while an earlier copy may be under way: a consult
//                      exists, unknown, anything else → a consult
//     consult_cancel   cancelled, substituted, under_analysis → that
//                      authorised → there is no such event: the same bytes again, once that is to be
//                      believed; AUTORIZADO if they were refused, or answered with a code that nobody
//                      knows
//     void_number      voided → INUTILIZADO · refused → as before it was asked for
//                      exists → it is in use: a consult by whatever name is known
//                      unknown, anything else → INUTILIZACAO_PENDENTE; the same request is the question: who
//                      voids again is told what was registered first
//
// The bytes of a document or of its cancellation go out again after no other answer than those two, and after
// those that prove that nothing was stored (Then::wait).

#include "modules/fiscal/authority/word.hpp"
#include "modules/fiscal/rules/estado.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace umavez::fiscal {

// The call that was answered.
enum class Act : std::uint8_t { emit, consult, cancel, consult_cancel, void_number };

// What only the caller knows. The defaults are the careful ones.
struct Circumstance {
    // Where the document was before this act sent anything; INDETERMINADO or CANCELAMENTO_PENDENTE from the
    // first call on that was not answered. When nothing was stored it goes back there, if that is RESERVADO
    // or REJEITADO (of an emission or a voiding) or AUTORIZADO (of a cancellation); else it stays in doubt.
    Estado before = Estado::indeterminado;
    // Attempts are left, the authority does not want to be left alone for long (retry_rule.hpp), and nobody
    // wants us to stop.
    bool may_try_again = false;
    // No call that changes something could still be on its way when the question was asked: an absence is to
    // be believed. After a refusal (was_refused, was_unclear) that takes longer than before a repetition that
    // does no harm.
    bool is_settled = false;
    // The answer had a code of the authority (Said::mensagens is not empty).
    bool has_code = false;
    // Of a question: what it is about was last answered `unknown` with a code. If it is not there, that was
    // a refusal. (Sent again, it would be answered in the same way, for ever.)
    bool was_unclear = false;
    // Of a question: what it is about was last refused, while an earlier copy was in doubt. If it is not
    // there, the refusal holds.
    bool was_refused = false;
    // Another document took its place: it is never sent again.
    bool is_replaced = false;
    // Said::is_ours.
    std::optional<bool> is_ours = {};
};

enum class Then : std::uint8_t {
    finish,             // it is decided: the key is closed with this answer
    let_go,             // nothing of this act is at the authority: the key is free again
    resend_same_bytes,  // it is proven that they are not there
    consult,            // ask at once what became of it
    wait,               // the same call again, after the pause of retry_rule.hpp
    give_up_for_now,  // nobody knows, or nobody has decided: the key stays open, a worker asks again
};

// Why a person should look.
enum class Concern : std::uint8_t {
    unexpected_word,  // this is no answer to what was asked
    unlisted_code,    // a code that our tables do not know, or know to tell nothing
    not_ours,         // the authority holds another document under this number
    contradiction,  // the authority does not know what it had authorised, or has changed what is final
    done_elsewhere,       // it was authorised, cancelled or substituted, and not by us
    replaced,             // it is authorised, and so is the one that took its place
    reissued,             // an earlier note of it was cancelled for another one
    certificate_refused,  // the authority does not take the certificate that we show
};

struct NextStep {
    Estado to =
        Estado::indeterminado;  // from now on; may be written together with the step after it
    Then then = Then::give_up_for_now;
    std::optional<Concern> concern = {};
    friend bool operator==(const NextStep&, const NextStep&) = default;
};

NextStep next_step(Estado from, Act act, Word word, const Circumstance& circumstance) noexcept;

std::string_view to_text(Act act) noexcept;
std::string_view to_text(Then then) noexcept;
std::string_view to_text(Concern concern) noexcept;   // "not_ours": for logs and metrics
std::string_view describe(Concern concern) noexcept;  // a sentence for operators

}  // namespace umavez::fiscal
