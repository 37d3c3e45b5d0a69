#pragma once

// Voiding: a number that was never used is given up, once.
//
// INUTILIZACAO_PENDENTE and the signed request are committed before the first byte leaves, and the request is
// never made anew. There is no question to ask about a voiding: whoever sends the same request again is told
// what was registered first, so that is how a lost answer is found. A number in doubt is never voided: its
// document may arrive. Thread-safe; the calls block.

#include "modules/fiscal/under_lease.hpp"

#include <string>

namespace umavez::fiscal {

// Under the lease of its key. Without a justification, as a worker comes, only what was begun goes on.
Result<Driven> void_number(
    Module& module,
    const TenantId& tenant_id,
    const std::string& id_idempotencia,
    const std::string* justificativa = nullptr,
    When when = When::due
);

// The handler alone, as of an emission.
Ended run_voiding(Module& module, Lease& lease, const std::string* justificativa);

// The operation's reconciler. It asks nobody: it tells whether the same request may be sent again.
Reconciliation reconcile_voiding(Module& module, const Enquiry& enquiry);

}  // namespace umavez::fiscal
