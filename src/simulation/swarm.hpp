#pragma once

// Swarm: which faults a seed has and how often they strike.
//
// Every seed switches each kind on or off and draws a rate: a world in which everything goes wrong at once
// never gets far enough to go wrong in an interesting way. The same struct is what the shrinker edits.
// A plain value.

#include "base/fault_point.hpp"
#include "simulation/dice.hpp"

#include <umavez/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::simulation {

enum class FaultKind : std::uint8_t {
    store_refuses,      // a command fails before it is applied
    store_silent,       // the same, but the caller only learns "unknown"
    reply_lost,         // applied, and the caller learns "unknown"
    late_write,         // the caller learns "unknown", the command arrives much later
    slow_store,
    slow_heartbeat,
    stale_read,         // find() tells what was there before
    crash,              // at a time (a count, not a rate)
    crash_point,        // at a named fault point (a count)
    pause,              // a process stands still (a count)
    node_clock_wrong,   // wall clocks of processes are off
    node_clock_step,    // and step (a count)
    store_clock_step,   // the store's own clock steps (a count)
    authority_slow,     // a request lands late, perhaps after its sender died
    authority_silent,   // a request lands and its answer is lost
    enquiry_unknown,    // the authority cannot say yet
    handler_throws,
    handler_unclear,    // a 5xx after the effect
    handler_untouched,  // nothing left the process, and the handler says so
    handler_refused,    // the other side refuses for good
    handler_saves,
    handler_slow,       // works longer than its lease
    handler_drops,      // forgets its lease
    other_payload,      // a client reuses a key for something else
    client_impatient,   // hangs up and tries elsewhere
    count_,
};

inline constexpr std::size_t fault_kinds_count = static_cast<std::size_t>(FaultKind::count_);

std::string_view to_text(FaultKind kind) noexcept;

// The process that comes to `point` for the n-th time dies there.
struct PlannedCrash {
    FaultPoint point;
    std::uint32_t arrival;
};

// Less than the shortest retention: an epoch must not fall after its record was swept.
inline constexpr Duration clock_step_max = std::chrono::seconds{3};

enum class StoreKind : std::uint8_t { memory, sqlite, postgres };

// Several processes share it, and it has a clock of its own.
constexpr bool is_shared(StoreKind store) noexcept { return store != StoreKind::sqlite; }

std::string_view to_text(StoreKind store) noexcept;

struct Swarm {
    std::array<std::uint32_t, fault_kinds_count> rates{};  // per mille, or a count
    std::vector<PlannedCrash> crashes;

    std::uint32_t nodes = 1;
    std::uint32_t clients = 4;
    std::uint32_t intents = 4;  // keys that each client pursues
    std::uint32_t keys = 3;     // per operation: few, so that clients meet

    Duration faults_for{0};  // then they stop
    Duration lease{0};
    Duration settle{0};
    std::optional<Duration> retention;
    Duration patience{0};
    Duration worker_period{0};
    Duration pause_max{0};
    Duration travel_max{0};  // of a request to an authority that takes our word for everything
    bool reads_aside = false;
    bool originals = false;  // on_mismatch = original
    bool waits = false;      // on_duplicate = wait
    bool at_hand = false;    // memory: records are looked at where they lie
    bool many_writers = false;  // SQLite: the engine may not rely on being the only writer

    std::uint32_t& rate(FaultKind kind) { return rates[static_cast<std::size_t>(kind)]; }
    std::uint32_t rate(FaultKind kind) const { return rates[static_cast<std::size_t>(kind)]; }

    // Delays stay below `settle`, so that even an authority without dedupe or tokens sees one effect.
    bool is_bounded(StoreKind store) const;
};

Swarm draw_swarm(Dice dice, StoreKind store);

// What is switched on, in one line.
std::string to_text(const Swarm& swarm);

}  // namespace umavez::simulation
