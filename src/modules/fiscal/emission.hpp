#pragma once

// Emission: a document is sent to its authority once, or what became of it is found out.
//
// TRANSMITIDO is committed, with the exact bytes, before the first of them leaves; the final state is
// committed with the completion of the engine's record. In between the row says what may have happened, and
// whoever comes next asks the authority before anything else. Thread-safe; the calls block.

#include "modules/fiscal/under_lease.hpp"

#include <optional>
#include <string>

namespace umavez::fiscal {

// What a client wants to be emitted. The border checked it.
struct Nova {
    Identidade identidade;
    std::string xml;
    std::optional<Key> key;
    std::optional<std::int64_t> substitui = {};  // the document whose place it takes
};

// Under the lease of its key. Without `nova`, as a worker comes, the bytes are those that were sent before;
// what was never sent stays so.
Result<Driven> emit(
    Module& module,
    const TenantId& tenant_id,
    const std::string& id_idempotencia,
    const Nova* nova = nullptr,
    When when = When::due
);

// The handler alone, for whoever holds the lease. It is completed where a final state is written, and left
// open otherwise.
Ended run_emission(Module& module, Lease& lease, const Nova* nova);

// The operation's reconciler: a row that is final answers; else the authority is asked, once.
Reconciliation reconcile_emission(Module& module, const Enquiry& enquiry);

// Asks without a lease, and sends nothing: what is learnt is written where nobody else changed the document
// meanwhile. For documents that are not in doubt, for those whose key an operator closed, and for a doubt
// that `nova` may end: the authority holds another document than was sent, and these may be its bytes.
Ended ask_about(Module& module, const Documento& documento, const Nova* nova = nullptr);

}  // namespace umavez::fiscal
