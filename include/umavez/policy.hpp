#pragma once

// Policy: how an operation behaves, declared once. The words are those of docs/reference/policy.md.
//
// Every default is safe for money; what weakens it must be written down. Immutable after the engine started.

#include <umavez/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace umavez {

enum class Guarantee : std::uint8_t {
    atomic,  // business rows and record commit in one database transaction
    leased,  // claim commits, the outside effect runs, completion commits
    cached,  // as leased, but the record lives in memory and can vanish with it
};

enum class KeyRule : std::uint8_t {
    required,
    optional,  // absent: a plain transaction, no record, outcome Unkeyed
    derived,   // absent: made from target and fingerprint
};

enum class OnMismatch : std::uint8_t {
    reject,    // another fingerprint under the same key is refused
    original,  // it is audited, and the first request's answer stands
};

enum class Replaying : std::uint8_t {
    stored,   // byte for byte
    current,  // the entity as it is now
};

enum class OnDuplicate : std::uint8_t { conflict, wait };

enum class OnAbandoned : std::uint8_t {
    automatic,  // leased: reconcile if the operation has a reconciler, else hold; cached: rerun
    reconcile,
    hold,
    rerun,  // needs `effect` for leased operations
};

// What the outside world does with a repeated effect.
enum class RepeatedEffect : std::uint8_t {
    harmful,       // assume the worst
    deduplicated,  // the other side dedupes on the effect key
    harmless,
};

enum class Finality : std::uint8_t {
    standard,  // 2xx, 3xx, and 4xx except 401, 403, 408, 409, 412, 423, 425, 428, 429
    success,   // 2xx and 3xx only
};

enum class OnStoreError : std::uint8_t {
    closed,  // refuse: Unavailable
    open,    // run unprotected and say so; never for atomic
};

struct Policy {
    Guarantee guarantee = Guarantee::atomic;
    KeyRule key = KeyRule::optional;

    Duration lease = std::chrono::seconds{30};       // heartbeat every third of it
    Duration run_limit = std::chrono::minutes{10};   // then lost() is raised and heartbeats stop
    std::uint32_t takeovers_max = 5;                 // of abandoned runs, under rerun only
    Duration settle = std::chrono::seconds{15};      // before the first reconcile
    std::optional<Duration> retention = std::chrono::hours{24};  // nullopt: forever

    // How long the source of the requests keeps retrying; a shorter retention earns a warning at start.
    std::optional<Duration> retry_horizon;

    OnMismatch on_mismatch = OnMismatch::reject;
    Replaying replay = Replaying::stored;
    OnDuplicate on_duplicate = OnDuplicate::conflict;
    Duration duplicate_wait = std::chrono::seconds{1};    // atomic always; others under `wait`
    OnAbandoned on_abandoned = OnAbandoned::automatic;
    RepeatedEffect effect = RepeatedEffect::harmful;
    Finality finality = Finality::standard;
    OnStoreError on_store_error = OnStoreError::closed;
    std::size_t response_bytes_max = 1024 * 1024;
    Duration atomic_run_limit = std::chrono::seconds{2};

    // Set by the engine from the operation's registration.
    bool has_reconciler = false;
};

std::string_view to_text(Guarantee guarantee) noexcept;

}  // namespace umavez
