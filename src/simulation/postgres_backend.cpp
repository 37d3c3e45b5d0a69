// Several processes over one PostgreSQL server: records and business rows in one database.

#include "engine/make_engine.hpp"
#include "simulation/backend.hpp"
#include "simulation/ledger_table.hpp"
#include "simulation/observing_store.hpp"
#include "simulation/spot_store.hpp"
#include "simulation/waiting_store.hpp"

#include <stdexcept>
#include <utility>

namespace umavez::simulation {
namespace {

class PostgresNodeStore final : public NodeStore {
public:
    PostgresNodeStore(
        Scene& scene,
        Store& shared,
        SpotTransactions& transactions,
        const FaultyStoreOptions& options,
        std::optional<Mutant> mutant,
        const NodeClock& clock
    )
        : faulty_(scene, shared, options),
          mutant_(make_node_mutant(mutant, faulty_, clock)),
          store_(
              scene, mutant_ ? *mutant_ : static_cast<Store&>(faulty_), faulty_, transactions, options.node
          )
    {
    }

    std::unique_ptr<Engine> make_engine(EngineOptions options) override
    {
        return umavez::make_engine(static_cast<TransactionalStore&>(store_), options);
    }
    Database* database() noexcept override { return &store_.database(); }

private:
    FaultyStore faulty_;
    std::unique_ptr<Store> mutant_;
    SpotStore store_;
};

class PostgresBackend final : public Backend {
public:
    PostgresBackend(Scene& scene, std::optional<Mutant> mutant, PostgresGround& ground)
        : scene_(scene),
          mutant_(mutant),
          ground_(ground),
          clock_(scene.world),
          waiting_(ground.store(), [this] { ground_.set_time(clock_.boottime()); }),
          observer_(scene, waiting_, clock_),
          shared_mutant_(make_shared_mutant(mutant, observer_)),
          transactions_(scene, observer_, ground, clock_)
    {
        ground_.set_time(Duration{0});
        const auto emptied = ground_.empty();
        if (!emptied) throw std::runtime_error(emptied.error().detail);
    }

    std::unique_ptr<NodeStore> attach(NodeId node, const NodeClock& clock) override
    {
        const FaultyStoreOptions options{
            .node = node,
            .plain_read_back = mutant_ == Mutant::plain_read_back,
            .observer = &observer_,
            // A read aside would see the true fingerprint.
            .reads_aside = scene_.swarm.reads_aside && mutant_ != Mutant::fingerprint_skipped,
        };
        Store& shared = shared_mutant_ ? *shared_mutant_ : observer_;
        return std::make_unique<PostgresNodeStore>(
            scene_, shared, transactions_, options, mutant_, clock
        );
    }

    void step_clock(Duration by) override { clock_.step(by); }

    void gather() override
    {
        const auto read = ground_.database().read([this](Transaction& transaction) {
            return read_ledger(transaction, scene_.evidence);
        });
        if (!read) scene_.evidence.faults.push_back("the ledger cannot be read");
    }

    Left left() override
    {
        Left left{.now = clock_.realtime()};
        auto page = wait(waiting_.scan({.count_max = 1000}));
        if (page) {
            left.records = std::move(page->records);
        } else {
            scene_.evidence.faults.push_back("the records cannot be read");
        }
        return left;
    }

private:
    Scene& scene_;
    const std::optional<Mutant> mutant_;
    PostgresGround& ground_;
    StoreSideClock clock_;
    WaitingStore waiting_;
    ObservingStore observer_;
    std::unique_ptr<Store> shared_mutant_;
    SpotTransactions transactions_;
};

}  // namespace

std::unique_ptr<Backend> make_postgres_backend(
    Scene& scene, std::optional<Mutant> mutant, PostgresGround& ground
)
{
    return std::make_unique<PostgresBackend>(scene, mutant, ground);
}

}  // namespace umavez::simulation
