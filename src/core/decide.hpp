#pragma once

// decide(): the whole semantics of umavez in one pure function.
//
// It runs in the engine, between the store's two primitives, and is the oracle of the simulator and of the
// differential tests. No clock, no I/O, no threads: `now` is the store's time that came with the record.

#include <umavez/outcome.hpp>
#include <umavez/policy.hpp>
#include <umavez/record.hpp>

#include <optional>
#include <string_view>
#include <variant>

namespace umavez {

// The caller may become the owner.
struct Claim {
    Mode mode = Mode::run;
    bool new_lifetime = false;  // nothing of the found record counts any more
    bool takeover = false;      // of a run or enquiry whose lease is over
};

// Nobody's unfinished work stands behind the key.
constexpr bool is_first_hand(const Claim& claim) noexcept
{
    return claim.mode == Mode::run && !claim.takeover;
}

struct Replay {};

// Abandoned work that nobody may claim: whoever meets it first moves it to in_doubt and answers InDoubt.
struct Hold {
    std::optional<Duration> retry_after;  // as in InDoubt
};

using Decision = std::variant<Claim, Replay, InProgress, InDoubt, Mismatch, Hold>;

// Rows in order of precedence; docs/reference/decisions.md lists them in the same order.
Decision decide(const Record* found, const Request& request, const Policy& policy, Instant now);

// A record that means the same as none: its retention is over. Half-open: at `expires_at` it is over. A
// doubt never is: in_doubt, or an enquiry about one.
bool is_spent(const Record& record, Instant now) noexcept;

// Processing, and the lease ended at or before `now`. No lease end means a live lease.
bool is_lease_over(const Record& record, Instant now) noexcept;

bool is_completed(const Record& record) noexcept;

// `automatic` resolved for this operation.
OnAbandoned on_abandoned_of(const Policy& policy) noexcept;

std::string_view to_text(const Decision& decision) noexcept;

}  // namespace umavez
