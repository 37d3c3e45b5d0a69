#pragma once

// The operations of a simulated shop, one per way to promise an effect. Plain values.

#include "simulation/scene.hpp"

#include <umavez/operation.hpp>
#include <umavez/policy.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace umavez::simulation {

enum class OperationKind : std::uint8_t {
    reconciled,    // leased; the authority can be asked, and does what it is told every time
    tokens,        // leased; the authority refuses older tokens
    held,          // leased; nobody can be asked
    rerun,         // leased; the authority dedupes, a worker can do the work
    cached,        // cached; repeated effects are harmless
    atomic,        // rows and record in one commit, kept for ever
    atomic_short,  // the same, kept for a short time
    row,           // leased, completed inside a transaction that writes the rows
};

struct OperationPlan {
    OperationKind kind;
    std::string name;
    Policy policy;
    AuthorityKind authority = AuthorityKind::plain;

    bool has_reconciler = false;
    bool has_worker = false;     // load and work
    bool obeys_lost = false;     // its handler sends nothing once lost() is raised
    bool is_in_rows = false;     // its effect is a row of the same database
    bool takes_probes = true;    // clients may reuse a key for another payload
    bool one_effect = true;      // per lifetime, the auditor counts
    Duration clock_back_max{0};  // how far the store's clock may fall between a read and a write
};

std::vector<OperationPlan> plan_operations(const Swarm& swarm, StoreKind store);

// The payload that stands behind a key when the work is done without its client.
std::string payload_of(const RecordId& id);

// The declaration of a planned operation at one process; `scene` and `plan` outlive the engine.
OperationSpec make_spec(Scene& scene, const OperationPlan& plan, NodeId node);

}  // namespace umavez::simulation
