#pragma once

// SpotTransactions: transactions on a real server, for a world in virtual time. Each is run to its end on
// the spot, between two events, by the thread of the simulation; a process that dies inside leaves one that
// the server rolls back.
//
// Writes of records inside a transaction are evidence only once they are committed. What became of them is
// not taken from the answer: the records are read again, and must be as written or as before.
// Confined to the simulation's thread.

#include "simulation/observing_store.hpp"
#include "simulation/postgres_ground.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace umavez::simulation {

class SpotTransactions {
public:
    // All of them outlive it.
    SpotTransactions(
        Scene& scene, ObservingStore& observer, PostgresGround& ground, const StoreSideClock& clock
    )
        : scene_(scene), observer_(observer), ground_(ground), clock_(clock)
    {
    }

    PostgresGround& ground() noexcept { return ground_; }

    // The ground's time is the world's, from now on until the next event.
    void set_time() { ground_.set_time(clock_.boottime()); }

    // Runs `closure` the way `start` tells. Throws ProcessDied where the process dies in it.
    using Start = std::function<Task<Result<void>>(Closure)>;
    Result<void> run(CallId call, const Closure& closure, const Start& start);

    // A record was written, or swept, inside the transaction that runs.
    void wrote(const RecordId& id, Record record) { written_.emplace_back(id, std::move(record)); }
    void swept(const std::vector<RecordId>& ids) { swept_ = ids; }

private:
    void observe(CallId call, bool is_committed);
    void observe_key(CallId call, const RecordId& id, bool is_committed);

    Scene& scene_;
    ObservingStore& observer_;
    PostgresGround& ground_;
    const StoreSideClock& clock_;
    std::vector<std::pair<RecordId, Record>> written_;
    std::vector<RecordId> swept_;
};

}  // namespace umavez::simulation
