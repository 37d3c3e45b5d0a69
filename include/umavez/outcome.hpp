#pragma once

// Request and Outcome: what a caller asks and what it gets. Plain values.

#include <umavez/fingerprint.hpp>
#include <umavez/names.hpp>
#include <umavez/policy.hpp>
#include <umavez/record.hpp>
#include <umavez/response.hpp>
#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <variant>

namespace umavez {

struct Request {
    TenantId tenant_id;
    Operation operation;
    std::optional<Key> key;
    Target target;
    Fingerprint fingerprint;

    // A duplicate waits this long for the first, whatever the policy says.
    std::optional<Duration> wait;

    // Ends the wait for an execution in this process, or for a lease of another, with Errc::cancelled. What
    // runs already goes on, and so does the wait for another process's transaction (duplicate_wait).
    std::stop_token stop;

    // Somebody wants to know now: a doubt is looked into although its next enquiry is not due. Whoever sets
    // it answers for how often the other side is asked.
    bool asks_now = false;
};

// The handler ran now. `kept` tells whether its answer is final; otherwise the key is free again.
struct Executed {
    Response response;
    bool kept = true;
    bool unprotected =
        false;  // ran without a record: `on_store_error = open` and the store was down
    std::optional<Instant>
        expires_at;  // of the record, by the store's clock; nullopt: never, or not kept
};

// It ran before; this is its answer.
struct Replayed {
    Response response;
    Status status = Status::succeeded;  // or failed
    bool omitted = false;  // too large to keep, or resolved without one: no body to give back
    std::optional<Instant> expires_at;  // of the record, by the store's clock; nullopt: never
    bool waited = false;                // it was seen running when we came
};

// Another owner is at it.
struct InProgress {
    Duration retry_after{};  // what is left of its lease
};

// The key was used for something else.
struct Mismatch {
    bool target = false;  // another address; otherwise another payload
};

// Nobody knows whether the effect happened. Never re-run blindly.
struct InDoubt {
    std::optional<Duration>
        retry_after;  // until the next reconciliation; nullopt: an operator decides
};

// The store could not be reached. A retry with the same key finds out.
struct Unavailable {
    Effect effect = Effect::none;
    std::string detail;  // for operators
};

// A plain transaction without a record.
struct Unkeyed {
    Response response;
};

using Outcome =
    std::variant<Executed, Replayed, InProgress, Mismatch, InDoubt, Unavailable, Unkeyed>;

std::string_view to_text(const Outcome& outcome) noexcept;

}  // namespace umavez
