#include "modules/fiscal/steps.hpp"

namespace umavez::fiscal {
namespace {

bool was_in_doubt(const Situation& situation) noexcept
{
    return situation.before == Estado::transmitido || situation.before == Estado::indeterminado ||
           situation.before == Estado::cancelamento_pendente;
}

Step ask_or_stay(const Situation& situation, Estado estado)
{
    if (situation.may_try_again) return {.next = Next::consult, .to = estado};
    return {.next = Next::stay_open, .to = estado};
}

// Nothing was stored: again, or as it was before. What was in doubt before stays a worker's.
Step again_or_back(const Situation& situation, const Said& said, Estado doubt)
{
    if (situation.may_try_again && said.word != Word::throttled) {
        return {.next = Next::send, .to = situation.estado};
    }
    if (was_in_doubt(situation)) return {.next = Next::stay_open, .to = doubt};
    return {.next = Next::give_up, .to = situation.before};
}

Step after_emit(const Situation& situation, const Said& said)
{
    switch (said.word) {
        case Word::authorised: return {.next = Next::finish, .to = Estado::autorizado};
        case Word::denied: return {.next = Next::finish, .to = Estado::denegado};
        case Word::refused: return {.next = Next::give_up, .to = Estado::rejeitado};
        case Word::later:
        case Word::throttled:
        case Word::unreached: return again_or_back(situation, said, Estado::indeterminado);
        case Word::exists:
        case Word::unknown:
        case Word::cancelled:
        case Word::substituted:
        case Word::under_analysis:
        case Word::absent: break;
    }
    return {.next = Next::consult, .to = Estado::indeterminado};
}

Step after_consult(const Situation& situation, const Said& said)
{
    switch (said.word) {
        case Word::authorised:
            if (said.is_ours == false) {
                return {
                    .next = Next::stay_open,
                    .to = Estado::indeterminado,
                    .alerta = "the authority holds another document under this number",
                };
            }
            return {.next = Next::finish, .to = Estado::autorizado};
        case Word::cancelled:
            return {
                .next = Next::finish,
                .to = Estado::cancelado,
                .alerta = "it was cancelled, and not by us",
            };
        case Word::substituted:
            return {
                .next = Next::finish,
                .to = Estado::substituido,
                .alerta = "it was substituted, and not by us",
            };
        case Word::denied: return {.next = Next::finish, .to = Estado::denegado};
        case Word::absent:
            if (situation.is_settled) return {.next = Next::send, .to = situation.estado};
            return {.next = Next::stay_open, .to = Estado::indeterminado};
        case Word::under_analysis:
            return {
                .next = Next::finish,
                .to = Estado::cancelamento_em_analise,
                .alerta = "a cancellation that is not ours is looked at",
            };
        case Word::refused:
        case Word::exists:
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: break;
    }
    return ask_or_stay(situation, Estado::indeterminado);
}

Step after_cancel(const Situation& situation, const Said& said)
{
    switch (said.word) {
        case Word::cancelled: return {.next = Next::finish, .to = Estado::cancelado};
        case Word::refused: return {.next = Next::give_up, .to = Estado::autorizado};
        case Word::under_analysis:
            return {.next = Next::stay_open, .to = Estado::cancelamento_em_analise};
        case Word::later:
        case Word::throttled:
        case Word::unreached: return again_or_back(situation, said, Estado::cancelamento_pendente);
        case Word::exists:
        case Word::unknown:
        case Word::authorised:
        case Word::substituted:
        case Word::denied:
        case Word::absent: break;
    }
    return {.next = Next::consult, .to = Estado::cancelamento_pendente};
}

Step after_consult_cancel(const Situation& situation, const Said& said)
{
    switch (said.word) {
        case Word::cancelled: return {.next = Next::finish, .to = Estado::cancelado};
        case Word::substituted: return {.next = Next::finish, .to = Estado::substituido};
        case Word::under_analysis:
            return {.next = Next::stay_open, .to = Estado::cancelamento_em_analise};
        case Word::authorised:
            if (situation.estado == Estado::cancelamento_em_analise) {
                return {.next = Next::give_up, .to = Estado::autorizado};
            }
            if (situation.is_settled) return {.next = Next::send, .to = situation.estado};
            return {.next = Next::stay_open, .to = situation.estado};
        case Word::absent:
        case Word::denied:
            return {
                .next = Next::stay_open,
                .to = situation.estado,
                .alerta = "the authority does not know the document that is to be cancelled",
            };
        case Word::refused:
        case Word::exists:
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: break;
    }
    return ask_or_stay(situation, situation.estado);
}

}  // namespace

Step step_after(const Situation& situation, const Said& said)
{
    switch (situation.deed) {
        case Deed::emit: return after_emit(situation, said);
        case Deed::consult: return after_consult(situation, said);
        case Deed::cancel: return after_cancel(situation, said);
        case Deed::consult_cancel: return after_consult_cancel(situation, said);
    }
    return {};
}

}  // namespace umavez::fiscal
