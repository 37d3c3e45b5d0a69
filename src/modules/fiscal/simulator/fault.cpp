#include "modules/fiscal/simulator/fault.hpp"

#include "base/digest.hpp"
#include "base/random.hpp"
#include "base/random_unit.hpp"

#include <algorithm>

namespace umavez::fiscal::simulator {
namespace {

// SplitMix64: numbers that depend on the start alone.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t start) : state_(start) {}
    std::uint64_t next() override
    {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
        return mixed ^ (mixed >> 31U);
    }

private:
    std::uint64_t state_;
};

}  // namespace

const std::vector<FaultSpec>& fault_specs()
{
    using enum Call;
    using enum Service;
    static const std::vector<FaultPlace> writes{
        {nacional, {emitir, cancelar}},
        {sefaz, {emitir, cancelar, inutilizar}},
        {sao_paulo, {emitir, cancelar}}
    };
    static const std::vector<FaultPlace> queries{
        {nacional, {consultar, consultar_nota, consultar_evento}},
        {sefaz, {consultar, recibo, status}},
        {sao_paulo, {consultar}}
    };
    static const std::vector<FaultPlace> batches{{sefaz, {emitir}}};
    static const std::vector<FaultSpec> specs{
        {Fault::drop_request, "drop-request", "closed without an answer, nothing stored"},
        {Fault::reset, "reset", "TCP reset, nothing stored"},
        {Fault::slow_before, "slow-before", "nothing is stored until after --slow"},
        {Fault::error_500, "error-500", "500 without a code, nothing stored"},
        {Fault::error_503, "error-503", "503 as a page, nothing stored"},
        {Fault::bad_gateway, "bad-gateway", "502 without a code, nothing stored"},
        {Fault::throttle,
         "throttle",
         "429 with Retry-After; at SEFAZ 656, to this CNPJ until --throttle after its last call"},
        {Fault::maintenance,
         "maintenance",
         "E1217, at SEFAZ 108, in São Paulo a soap:Fault, nothing stored",
         {{nacional, {emitir, cancelar}}, {sefaz}, {sao_paulo}}},
        {Fault::no_forecast, "no-forecast", "109, nothing stored", {{sefaz}}},
        {Fault::refuse,
         "refuse",
         "refused for good: E0010, 781, 1206; of a cancellation E0822, 501, 1306; of a voiding 201",
         writes},
        {Fault::too_old,
         "too-old",
         "too late: 228 or 704 of a note, 526 of a query, 501 of a cancellation",
         {{sefaz, {emitir, consultar, cancelar}}}},
        {Fault::forbidden, "forbidden", "403", queries},
        {Fault::lost_route,
         "lost-route",
         "404 as a page of the web server, which proves nothing",
         queries},
        {Fault::answer_lost, "answer-lost", "stored, closed without an answer"},
        {Fault::slow, "slow", "stored, answered after --slow"},
        {Fault::error_after, "error-after", "stored, answered with 500", writes},
        {Fault::duplicate,
         "duplicate",
         "stored, answered as if it had been there before: E0014, E0840; 204, 580, 563; 218, 1301",
         writes},
        {Fault::event_duplicate,
         "event-duplicate",
         "registered, answered with 573",
         {{sefaz, {cancelar}}}},
        {Fault::other_key,
         "other-key",
         "somebody else's note under this number, answered with 539",
         batches},
        {Fault::late, "late", "stored: 150, 155", {{sefaz, {emitir, cancelar}}}},
        {Fault::receipt, "receipt", "103; judged at the third question: 105, 105, then 104", batches
        },
        {Fault::receipt_lost, "receipt-lost", "authorised, answered with 103; then 106", batches},
        {Fault::no_protocol, "no-protocol", "authorised, answered with 104 and no more", batches},
        {Fault::inner_103, "inner-103", "authorised, answered with 104 around a 103", batches},
        {Fault::cancel_behind,
         "cancel-behind",
         "authorised, and cancelled at once by somebody else",
         {{nacional, {emitir}}, {sefaz, {emitir}}, {sao_paulo, {emitir}}}},
        {Fault::unreadable, "unreadable", "stored, the status is right and the body is rubbish"},
        {Fault::truncated, "truncated", "stored, the answer breaks off"},
        {Fault::odd_shapes,
         "odd-shapes",
         "right, in the shapes that production has and the manual has not"},
    };
    return specs;
}

std::string_view to_text(Fault fault) noexcept
{
    return std::ranges::find(fault_specs(), fault, &FaultSpec::fault)->name;
}

std::optional<Fault> parse_fault(std::string_view text) noexcept
{
    const auto found = std::ranges::find(fault_specs(), text, &FaultSpec::name);
    if (found == fault_specs().end()) return std::nullopt;
    return found->fault;
}

std::vector<std::string> fault_words()
{
    std::vector<std::string> words;
    for (const FaultSpec& spec : fault_specs()) words.emplace_back(spec.name);
    return words;
}

bool is_fault_of(Fault fault, Service service, Call call) noexcept
{
    const auto found = std::ranges::find(fault_specs(), fault, &FaultSpec::fault);
    const auto fits = [service, call](const FaultPlace& place) {
        return place.service == service &&
               (place.calls.empty() || std::ranges::find(place.calls, call) != place.calls.end());
    };
    return found->places.empty() || std::ranges::any_of(found->places, fits);
}

bool is_fault_of(Fault fault, Call call) noexcept
{
    using enum Service;
    return is_fault_of(fault, nacional, call) || is_fault_of(fault, sefaz, call) ||
           is_fault_of(fault, sao_paulo, call);
}

std::optional<Fault> FaultPlan::next(const Asked& asked, std::uint64_t number)
{
    const auto fits = [&asked](const ScriptedFault& scripted) {
        return (!scripted.call || *scripted.call == asked.call) &&
               (scripted.documento.empty() || scripted.documento == asked.documento) &&
               is_fault_of(scripted.fault, asked.service, asked.call);
    };
    const auto found = std::ranges::find_if(scripted_, fits);
    if (found == scripted_.end()) return by_chance(asked, number);
    const Fault fault = found->fault;
    if (--found->times == 0) scripted_.erase(found);
    return fault;
}

std::optional<Fault> FaultPlan::by_chance(const Asked& asked, std::uint64_t number) const
{
    if (chance_.faults.empty()) return std::nullopt;
    SeededRandom random{stable_hash({std::to_string(chance_.seed), std::to_string(number)})};
    if (unit(random) >= chance_.rate) return std::nullopt;
    const Fault fault = chance_.faults[uniform(random, chance_.faults.size())];
    return is_fault_of(fault, asked.service, asked.call) ? std::optional{fault} : std::nullopt;
}

}  // namespace umavez::fiscal::simulator
