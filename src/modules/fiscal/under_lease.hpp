#pragma once

// What emission, cancellation and voiding share: a document is driven under the engine's lease of its
// natural key, and the key is completed as the drive ended. Thread-safe; the calls block.

#include "modules/fiscal/drive.hpp"
#include "modules/fiscal/module.hpp"

#include <umavez/lease.hpp>
#include <umavez/operation.hpp>
#include <umavez/outcome.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace umavez::fiscal {

// How an operation of the engine on a document came to its end.
struct Driven {
    // What the engine says: InProgress, InDoubt or Unavailable where the handler did not run, or could not
    // complete. Replayed: there is nothing left to be done.
    Outcome outcome;
    std::optional<Ended> ended;  // of the handler, if it ran
};

// When a doubt is looked into: when its time has come, or because somebody wants to know.
enum class When : std::uint8_t { due, now };

// Runs the handler under the lease of the key. A handler that ends with `finished` has completed the lease
// itself; otherwise it is freed, left in doubt or left to run out, as the drive ended.
using LeaseHandler = std::function<Ended(Lease& lease)>;
Result<Driven> drive_under_lease(
    Module& module, Request request, When when, const LeaseHandler& handler
);

// Closes the key with a document that is decided already, by whomever.
Ended close_key(Module& module, Lease& lease, const Documento& documento);

// What a reconciler tells the engine after it drove the document, or could not.
Reconciliation to_reconciliation(
    Module& module, const Enquiry& enquiry, const Course& course, const Ended& ended
);
StillUnknown still_unknown(const Error& error);

Ended trouble(const Error& error);

}  // namespace umavez::fiscal
