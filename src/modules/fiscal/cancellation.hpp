#pragma once

// Cancellation: the event that cancels a document is registered once, or what became of it is found out.
//
// The signed request is kept, and CANCELAMENTO_PENDENTE committed, before it is sent; sent again it is the
// same bytes. Thread-safe; the calls block.

#include "modules/fiscal/under_lease.hpp"

#include <string>

namespace umavez::fiscal {

// Under the lease of its key. Without a justification, as a worker comes, only what was begun goes on.
Result<Driven> cancel(
    Module& module,
    const TenantId& tenant_id,
    const std::string& id_idempotencia,
    const std::string* justificativa = nullptr,
    When when = When::due
);

// The handler alone, as of an emission.
Ended run_cancellation(Module& module, Lease& lease, const std::string* justificativa);

// The operation's reconciler.
Reconciliation reconcile_cancellation(Module& module, const Enquiry& enquiry);

// Asks without a lease what became of a cancellation whose key an operator closed, and sends nothing.
Ended ask_about_cancellation(Module& module, const Documento& documento);

}  // namespace umavez::fiscal
