#pragma once

// Mutants: known mistakes, switched on one at a time, which the auditor must find.
//
// The engine has no switch for them: each is a store that lies or forgets in the way the mistake would.
// A mutant that is not found means that the simulator does not see what it is there for.

#include "simulation/clocks.hpp"
#include "simulation/scene.hpp"
#include "store/store.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace umavez::simulation {

enum class Mutant : std::uint8_t {
    fencing_off,               // an owner's write is taken whoever owns the record now
    fingerprint_skipped,       // another payload passes as the first
    application_clock,         // leases are judged by the wall clock of the process
    plain_read_back,           // an unknown write is looked for without waiting for it
    takeover_ignores_heartbeat,
    in_doubt_expires,
    reconcile_lost,            // a claim to ask is kept as a claim to run
    release_on_exception,      // a failed handler frees its key
};

const std::vector<Mutant>& all_mutants();
std::string_view to_text(Mutant mutant) noexcept;
std::optional<Mutant> parse_mutant(std::string_view text) noexcept;

// The mutant as a part of the shared store, or null.
std::unique_ptr<Store> make_shared_mutant(std::optional<Mutant> mutant, Store& inner);

// The mutant as a part of one process, or null.
std::unique_ptr<Store> make_node_mutant(
    std::optional<Mutant> mutant, Store& inner, const NodeClock& clock
);

}  // namespace umavez::simulation
