#pragma once

// OperationSpec: a named kind of work, declared once before the engine starts.
//
// The functions are called from several threads at a time. Reconcilers and workers' handlers may block;
// `current` and `swept` run inside a transaction and may do nothing but SQL.

#include <umavez/lease.hpp>
#include <umavez/policy.hpp>
#include <umavez/record.hpp>
#include <umavez/task.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace umavez {

// What a reconciler is asked: did the effect under this key happen? Where the other side takes a token,
// send it along: an enquiry that shuts out the previous owner makes the effect exactly-once.
struct Enquiry {
    RecordId id;
    FencingToken token;
    std::string effect_key;
    std::string checkpoint;
    std::uint32_t attempts = 0;
};

struct Happened {
    Response response;
};
struct DidNotHappen {};
struct StillUnknown {
    std::optional<Duration> retry_after;  // the other side's own wish
    std::string detail;
};
using Reconciliation = std::variant<Happened, DidNotHappen, StillUnknown>;

using Reconciler = std::function<Task<Reconciliation>(Enquiry)>;
using LeasedHandler = std::function<Response(Lease&)>;
using AsyncLeasedHandler = std::function<Task<Response>(Lease&)>;
using AtomicHandler = std::function<Result<Response>(Transaction&)>;

struct OperationSpec {
    std::string name;
    Policy policy;

    // Asks the outside world. An exception counts as StillUnknown.
    Reconciler reconcile;

    // For work that a worker can do without its client: a record holds no request.
    std::function<Task<std::optional<std::string>>(RecordId)> load;
    std::function<Task<Response>(Lease&, std::string payload)> work;

    // The engine's worker leaves the due work of this operation alone: its module has threads that come back
    // to it, because an enquiry may take a minute. Retries of clients reconcile as always.
    bool has_own_worker = false;

    // For `replay = current`: the entity as it is now. Where it was deleted: status 410, with what the record
    // says of the operation as a JSON body. It only reads; while nothing is committed to the database, its
    // answer may serve other retries of the key for up to a second.
    std::function<Result<Response>(Transaction&, const Record&)> current;

    // Cleans the operation's own rows in the sweep's transaction.
    std::function<Result<void>(Transaction&, std::span<const RecordId>)> swept;
};

// A reconciler from a plain function that may block.
inline Reconciler blocking_reconciler(std::function<Reconciliation(const Enquiry&)> ask)
{
    return [ask = std::move(ask)](Enquiry enquiry) -> Task<Reconciliation> {
        co_return ask(enquiry);
    };
}

}  // namespace umavez
