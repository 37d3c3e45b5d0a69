#pragma once

// Auditor: the invariants of the engine, judged on the evidence of one seed.
//
//     I1   effects per lifetime of a key are at most one, wherever the operation promises it
//     I2   at most one completion per lifetime is accepted
//     I3   every successful answer is the completion of a lifetime the call could see
//     I4   an answer implies an effect of that payload; an answer that denies a write is true
//     I5   the token grows with every claim and never repeats
//     I6   only the current token changes a record; a claim needs a lease that is over, a doubt that is
//          due, a release, or a retention that is over
//     I10  when the faults are over, every key is terminal or in doubt and every call is answered
//
// A violation is one line that begins with the invariant. Pure.

#include "simulation/backend.hpp"
#include "simulation/operations.hpp"
#include "simulation/scene.hpp"

#include <map>
#include <string>
#include <vector>

namespace umavez::simulation {

using Violations = std::vector<std::string>;

// The lifetimes of one key, as its changes tell them.
struct Lifetimes {
    struct Completion {
        std::size_t lifetime = 0;
        StoredResponse response;
        Duration at{0};
    };
    std::map<std::pair<std::int64_t, Execution>, std::size_t> of_token;
    std::vector<Completion> completions;
    std::vector<Duration> doubted_at;  // when the record went in doubt
    std::vector<Duration> began_at;    // of each lifetime
};

// I2, I5, I6.
Lifetimes audit_changes(
    const RecordId& id, const KeyEvidence& key, const OperationPlan& plan, Violations& violations
);

// I1, I3, I4.
void audit_effects(
    const RecordId& id,
    const KeyEvidence& key,
    const Evidence& evidence,
    const Lifetimes& lifetimes,
    const OperationPlan& plan,
    Violations& violations
);

// I10.
void audit_end(
    const Scene& scene,
    const Backend::Left& left,
    const std::vector<OperationPlan>& plans,
    Violations& violations
);

Violations audit(
    const Scene& scene, const Backend::Left& left, const std::vector<OperationPlan>& plans
);

}  // namespace umavez::simulation
