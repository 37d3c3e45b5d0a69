#pragma once

// Fault: how the simulator misbehaves, once, in answer to one request; and the plan that says when.
//
// Faults that were asked for by control come first, in their order. Then chance decides, by the seed and the
// number of the request alone: a run can be repeated. A plan is confined to whoever holds it.

#include "modules/fiscal/simulator/call.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

enum class Fault : std::uint8_t {
    // Before anything is stored.
    drop_request,
    reset,
    slow_before,
    error_500,
    error_503,
    bad_gateway,
    throttle,
    maintenance,
    no_forecast,
    refuse,
    too_old,
    forbidden,
    lost_route,
    // After it is stored.
    answer_lost,
    slow,
    error_after,
    duplicate,
    event_duplicate,
    other_key,
    late,
    receipt,
    receipt_lost,
    no_protocol,
    inner_103,
    cancel_behind,
    unreadable,
    truncated,
    odd_shapes,
};

// Where a fault is at home.
struct FaultPlace {
    Service service;
    std::vector<Call> calls = {};  // empty: all of it
};

struct FaultSpec {
    Fault fault;
    std::string_view name;                // "answer-lost"
    std::string_view what;                // for people
    std::vector<FaultPlace> places = {};  // empty: everywhere
};

// All of them, in the order of the help.
const std::vector<FaultSpec>& fault_specs();

std::string_view to_text(Fault fault) noexcept;
std::optional<Fault> parse_fault(std::string_view text) noexcept;
std::vector<std::string> fault_words();
bool is_fault_of(Fault fault, Service service, Call call) noexcept;
bool is_fault_of(Fault fault, Call call) noexcept;  // at any of the services

struct ChanceOfFaults {
    std::uint64_t seed = 1;
    double rate = 0;                 // of requests that get one
    std::vector<Fault> faults = {};  // one of these
};

struct ScriptedFault {
    Fault fault = Fault::answer_lost;
    std::optional<Call> call = {};  // nullopt: of any
    std::string documento = {};     // empty: of any
    std::uint64_t times = 1;
};

class FaultPlan {
public:
    explicit FaultPlan(ChanceOfFaults chance) : chance_(std::move(chance)) {}

    void add(ScriptedFault scripted) { scripted_.push_back(std::move(scripted)); }
    void forget() { scripted_.clear(); }
    const std::deque<ScriptedFault>& scripted() const noexcept { return scripted_; }

    // What becomes of the request of this number. A fault that the call cannot have is none.
    std::optional<Fault> next(const Asked& asked, std::uint64_t number);

private:
    std::optional<Fault> by_chance(const Asked& asked, std::uint64_t number) const;

    ChanceOfFaults chance_;
    std::deque<ScriptedFault> scripted_;
};

}  // namespace umavez::fiscal::simulator
