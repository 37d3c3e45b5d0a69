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
    static const std::vector<FaultSpec> specs{
        {Fault::drop_request, "drop-request", "closed without an answer, nothing stored"},
        {Fault::reset, "reset", "TCP reset, nothing stored"},
        {Fault::slow_before, "slow-before", "nothing is stored until after --slow"},
        {Fault::error_500, "error-500", "500 without a code, nothing stored"},
        {Fault::error_503, "error-503", "503 as a page, nothing stored"},
        {Fault::bad_gateway, "bad-gateway", "502 with {\"erro\":\"Bad Gateway\"}, nothing stored"},
        {Fault::throttle, "throttle", "429 with Retry-After, nothing stored"},
        {Fault::maintenance, "maintenance", "400 with E1217, nothing stored", {emitir, cancelar}},
        {Fault::refuse,
         "refuse",
         "refused for good: E0010, or E0822 of a cancellation",
         {emitir, cancelar}},
        {Fault::forbidden, "forbidden", "403", {consultar, consultar_nota, consultar_evento}},
        {Fault::lost_route,
         "lost-route",
         "404 as a page of the web server, which proves nothing",
         {consultar, consultar_nota, consultar_evento}},
        {Fault::answer_lost, "answer-lost", "stored, closed without an answer"},
        {Fault::slow, "slow", "stored, answered after --slow"},
        {Fault::error_after, "error-after", "stored, answered with 500", {emitir, cancelar}},
        {Fault::duplicate,
         "duplicate",
         "stored, answered as if it had been there before: E0014, E0840",
         {emitir, cancelar}},
        {Fault::cancel_behind,
         "cancel-behind",
         "authorised, and cancelled at once by somebody else",
         {emitir}},
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

bool is_fault_of(Fault fault, Call call) noexcept
{
    const auto found = std::ranges::find(fault_specs(), fault, &FaultSpec::fault);
    return found->calls.empty() || std::ranges::find(found->calls, call) != found->calls.end();
}

std::optional<Fault> FaultPlan::next(Call call, std::string_view id_dps, std::uint64_t number)
{
    const auto fits = [call, id_dps](const ScriptedFault& scripted) {
        return (!scripted.call || *scripted.call == call) &&
               (scripted.id_dps.empty() || scripted.id_dps == id_dps) &&
               is_fault_of(scripted.fault, call);
    };
    const auto found = std::ranges::find_if(scripted_, fits);
    if (found == scripted_.end()) return by_chance(call, number);
    const Fault fault = found->fault;
    if (--found->times == 0) scripted_.erase(found);
    return fault;
}

std::optional<Fault> FaultPlan::by_chance(Call call, std::uint64_t number) const
{
    if (chance_.faults.empty()) return std::nullopt;
    SeededRandom random{stable_hash({std::to_string(chance_.seed), std::to_string(number)})};
    if (unit(random) >= chance_.rate) return std::nullopt;
    const Fault fault = chance_.faults[uniform(random, chance_.faults.size())];
    return is_fault_of(fault, call) ? std::optional{fault} : std::nullopt;
}

}  // namespace umavez::fiscal::simulator
