#pragma once

// Emission: a document is sent to its authority once, or what became of it is found out.
//
// TRANSMITIDO is committed, with the exact bytes, before the first of them leaves; the final state is
// committed with the completion of the engine's record. In between the row says what may have happened, and
// whoever comes next asks the authority before anything else. Thread-safe; the calls block.

#include "modules/fiscal/drive.hpp"
#include "modules/fiscal/module.hpp"

#include <umavez/lease.hpp>
#include <umavez/operation.hpp>
#include <umavez/outcome.hpp>

#include <optional>
#include <string>

namespace umavez::fiscal {

// What a client wants to be emitted. The border checked it.
struct Nova {
    Identidade identidade;
    std::string xml;
    std::optional<Key> key;
};

// How an operation of the engine on a document came to its end.
struct Driven {
    // What the engine says: InProgress, InDoubt or Unavailable where the handler did not run, or could not
    // complete. Replayed: there is nothing left to be done.
    Outcome outcome;
    std::optional<Ended> ended;  // of the handler, if it ran
};

// Under the lease of its key. Without `nova`, as a worker comes, the bytes are those that were sent before;
// what was never sent stays so.
Result<Driven> emit(
    Module& module,
    const TenantId& tenant_id,
    const std::string& id_idempotencia,
    const Nova* nova = nullptr
);

// The handler alone, for whoever holds the lease. The lease is completed where a final state is written, and
// left open otherwise: conclude() says what becomes of it.
Ended run_emission(Module& module, Lease& lease, const Nova* nova);

// The operation's reconciler: a row that is final answers; else the authority is asked, once.
Reconciliation reconcile_emission(Module& module, const Enquiry& enquiry);

// Asks without a lease, and sends nothing: what is learnt is written where nobody else changed the document
// meanwhile. For documents that are authorised, and for those whose key an operator closed.
Ended ask_about(Module& module, const Documento& documento);

// Completes the key as the end of the drive says. For handlers of this module.
Response conclude(Lease& lease, const Ended& ended);

}  // namespace umavez::fiscal
