#pragma once

// How often an authority may be asked, and when not at all: the generic cell rate algorithm, in which one
// instant says everything about the past. Pure.
//
// A block stops every call: an authority that says "too often" goes on saying so while it is called.
// The rate counts what enquiries exchange: those are what a storm of reconciliations is made of, while a
// document is sent as often as there are documents. One enquiry may take several exchanges; how many is known
// afterwards, so the first is counted when it is permitted and the others then.

#include <umavez/time.hpp>

#include <cstdint>
#include <optional>

namespace umavez::fiscal {

struct GuardRule {
    std::int64_t per_minute = 120;  // 0: no limit
    std::int64_t burst = 10;        // exchanges that need not be evenly spaced; at least 1
};

// What is known of one authority, environment and issuer. Zero: nothing.
struct GuardState {
    Instant blocked_until{};
    Instant next_at{};  // when an evenly spaced row of exchanges would go on
    friend bool operator==(const GuardState&, const GuardState&) = default;
};

enum class GuardedCall : std::uint8_t { enquiry, change };

struct Permission {
    bool is_given = true;
    bool is_blocked = false;  // the authority wants to hear nothing of us
    Duration wait{};          // until it is worth asking again
};

// Counts the call where it is permitted.
Permission ask(GuardState& state, const GuardRule& rule, GuardedCall call, Instant now) noexcept;

// Counts what an enquiry exchanged beyond its first.
void charge(GuardState& state, const GuardRule& rule, std::int64_t exchanges, Instant now) noexcept;

// The authority said "too often": the block begins anew, for as long as it wishes, or for the usual time. A
// wish for nothing is none: whoever comes back at once is told the same.
void block(GuardState& state, std::optional<Duration> wish, Duration usual, Instant now) noexcept;

}  // namespace umavez::fiscal
