#pragma once

// What the handlers and reconcilers of a simulated shop do: they send a request to the authority and wait,
// and they fail in every way the swarm allows. Confined to the simulation's thread.

#include "simulation/operations.hpp"

#include <umavez/lease.hpp>
#include <umavez/transaction.hpp>

#include <stdexcept>
#include <string>

namespace umavez::simulation {

struct HandlerFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The handler of a leased or cached operation. `call` is 0 for a worker's run.
Task<Response> perform_effect(
    Scene& scene, const OperationPlan& plan, NodeId node, CallId call, std::string payload, Lease& lease
);

// The handler of OperationKind::row: the effect is a row, the completion is in its transaction.
Task<Response> perform_row(
    Scene& scene, Database& database, const OperationPlan& plan, CallId call, std::string payload,
    Lease& lease
);

// The handler of an atomic operation.
Result<Response> perform_atomic(
    Scene& scene, const OperationPlan& plan, const RecordId& id, const std::string& payload,
    Transaction& transaction
);

Task<Reconciliation> ask_authority(
    Scene& scene, const OperationPlan& plan, NodeId node, Enquiry enquiry
);

}  // namespace umavez::simulation
