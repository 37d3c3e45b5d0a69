#include "modules/fiscal/simulator/nacional_desk.hpp"

#include "modules/fiscal/simulator/shapes.hpp"

#include <utility>

namespace umavez::fiscal::simulator {
namespace {

// What is said instead, before anybody looked at the request.
std::optional<http::Response> instead(Fault fault, const Asked& asked, const Wording& wording)
{
    const auto refused = [&](std::string codigo) {
        return to_response(refusal(400, std::move(codigo), asked.documento), asked.call, wording);
    };
    if (fault == Fault::throttle) {
        http::Response response = http::json_response(429, R"({"message":"Too Many Requests"})");
        response.headers.push_back({"Retry-After", "2"});
        return response;
    }
    if (fault == Fault::maintenance) return refused("E1217");
    if (fault == Fault::refuse) return refused(asked.call == Call::emitir ? "E0010" : "E0822");
    return std::nullopt;
}

}  // namespace

Judgement NacionalDesk::judge(
    const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
) const
{
    const Wording wording{
        .ambiente = office_.ambiente(),
        .now = moment.now,
        .shape = fault == Fault::odd_shapes ? Shape::odd : Shape::declared,
        .turn = moment.turn,
    };
    if (fault) {
        if (auto response = instead(*fault, asked, wording)) return {*std::move(response)};
    }
    Decision decision = office_.decide(asked, book, moment);
    std::vector<LedgerEvent> events;
    if (decision.event) events.push_back(*std::move(decision.event));
    Answer& answer = decision.answer;
    if (fault == Fault::duplicate && answer.status == 201) {
        const bool is_emission = asked.call == Call::emitir;
        answer = refusal(400, is_emission ? "E0014" : "E0840", answer.documento);
    }
    return {to_response(answer, asked.call, wording), std::move(events)};
}

EventRegistered NacionalDesk::event_behind(
    std::string_view chave, std::string_view tipo, const Book& /*book*/, Instant now
) const
{
    return {
        .at = now, .chave = std::string{chave}, .tipo = std::string{tipo.empty() ? "101101" : tipo}
    };
}

}  // namespace umavez::fiscal::simulator
