#pragma once

// Backend: the store behind the processes of a simulated shop, and what is left in it at the end.
// Confined to the simulation's thread.

#include "simulation/clocks.hpp"
#include "simulation/mutants.hpp"
#include "simulation/operations.hpp"
#include "simulation/scene.hpp"
#include "store/store.hpp"

#include <umavez/engine.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace umavez::simulation {

class PostgresGround;

// What one process holds of the store. Outlives the engine that is made on it.
class NodeStore {
public:
    virtual ~NodeStore() = default;
    virtual std::unique_ptr<Engine> make_engine(EngineOptions options) = 0;

    // Business rows; null where there are none.
    virtual Database* database() noexcept { return nullptr; }

    // Runs what is queued inside the process; false: nothing was.
    virtual bool step() { return false; }
};

// Opens an empty store that several simulated processes share. The clock outlives it.
using OpenSharedStore = std::function<std::unique_ptr<Store>(const Clock&)>;

class Backend {
public:
    virtual ~Backend() = default;

    // For a new process. The one before it, if the store lives in the process, is dead.
    virtual std::unique_ptr<NodeStore> attach(NodeId node, const NodeClock& clock) = 0;

    // The clock of a server of its own steps.
    virtual void step_clock(Duration /*by*/) {}

    // When all is over: evidence that could not be gathered on the way.
    virtual void gather() {}

    struct Left {
        std::vector<NamedRecord> records;
        Instant now;
    };
    virtual Left left() = 0;
};

// `open` gives an empty store on a server of its own, under the clock it is given; null: in memory.
std::unique_ptr<Backend> make_shared_backend(
    Scene& scene, std::optional<Mutant> mutant, const OpenSharedStore& open
);
std::unique_ptr<Backend> make_sqlite_backend(Scene& scene);
// Empties the ground, which outlives it.
std::unique_ptr<Backend> make_postgres_backend(
    Scene& scene, std::optional<Mutant> mutant, PostgresGround& ground
);

}  // namespace umavez::simulation
