#include "modules/fiscal/simulator/sp_desk.hpp"

#include "modules/fiscal/simulator/sp_shapes.hpp"

#include <utility>

namespace umavez::fiscal::simulator {

Judgement SpDesk::judge(
    const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
) const
{
    if (!asked.packing_error.empty()) return {sp_fault(asked.envelope, asked.packing_error)};
    if (fault == Fault::maintenance)
        return {sp_fault(asked.envelope, "Serviço temporariamente indisponível")};
    if (fault == Fault::throttle) return {http::text_response(429, "Too Many Requests")};
    const Wording wording{
        .ambiente = {},
        .now = moment.now,
        .shape = fault == Fault::odd_shapes ? Shape::odd : Shape::declared,
        .turn = moment.turn,
    };
    const bool is_emission = asked.call == Call::emitir;
    if (fault == Fault::refuse)
        return {to_sp_soap(sp_error(is_emission ? "1206" : "1306"), asked, wording)};
    SpDecision decision = decide_sp(asked, book, moment);
    if (fault == Fault::duplicate && !decision.events.empty())
        decision.answer = is_emission ? sp_error("218") : SpAnswer{.avisos = {{"1301", true}}};
    return {to_sp_soap(decision.answer, asked, wording), std::move(decision.events)};
}

EventRegistered SpDesk::event_behind(
    std::string_view chave, std::string_view tipo, const Book& /*book*/, Instant now
) const
{
    return {
        .at = now,
        .chave = std::string{chave},
        .tipo = std::string{tipo.empty() ? sp_cancelled : tipo},
    };
}

}  // namespace umavez::fiscal::simulator
