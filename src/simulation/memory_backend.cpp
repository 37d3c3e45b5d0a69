// Several processes over one store that outlives them all, as a database server would.

#include "engine/make_engine.hpp"
#include "simulation/backend.hpp"
#include "simulation/faulty_store.hpp"
#include "simulation/observing_store.hpp"
#include "simulation/waiting_store.hpp"
#include "store/memory/memory_store.hpp"

#include <utility>

namespace umavez::simulation {
namespace {

class SharedNodeStore final : public NodeStore {
public:
    SharedNodeStore(
        Scene& scene,
        Store& shared,
        const FaultyStoreOptions& options,
        std::optional<Mutant> mutant,
        const NodeClock& clock
    )
        : faulty_(scene, shared, options), mutant_(make_node_mutant(mutant, faulty_, clock))
    {
    }

    std::unique_ptr<Engine> make_engine(EngineOptions options) override
    {
        Store& front = mutant_ ? *mutant_ : faulty_;
        return umavez::make_engine(front, std::move(options));
    }

private:
    FaultyStore faulty_;
    std::unique_ptr<Store> mutant_;
};

class SharedBackend final : public Backend {
public:
    SharedBackend(Scene& scene, std::optional<Mutant> mutant, const OpenSharedStore& open)
        : scene_(scene),
          mutant_(mutant),
          clock_(scene.world),
          store_(open ? open(clock_) : make_store(clock_)),
          waiting_(open ? std::make_unique<WaitingStore>(*store_) : nullptr),
          observer_(scene, waiting_ ? *waiting_ : *store_, clock_),
          shared_mutant_(make_shared_mutant(mutant, observer_))
    {
    }

    std::unique_ptr<NodeStore> attach(NodeId node, const NodeClock& clock) override
    {
        const FaultyStoreOptions options{
            .node = node,
            .plain_read_back = mutant_ == Mutant::plain_read_back,
            .observer = &observer_,
            // A read aside would see the true fingerprint.
            .reads_aside = scene_.swarm.reads_aside && mutant_ != Mutant::fingerprint_skipped,
            .at_hand = scene_.swarm.at_hand && mutant_ != Mutant::fingerprint_skipped,
        };
        Store& shared = shared_mutant_ ? *shared_mutant_ : observer_;
        return std::make_unique<SharedNodeStore>(scene_, shared, options, mutant_, clock);
    }

    void step_clock(Duration by) override { clock_.step(by); }

    Left left() override
    {
        Left left{.now = clock_.realtime()};
        auto page = wait(store_->scan({.count_max = 1000}));
        if (page) left.records = std::move(page->records);
        return left;
    }

private:
    static std::unique_ptr<Store> make_store(const Clock& clock)
    {
        return make_memory_store({
            .clock = &clock,
            .declared_durable = true,
            .audit = false,
            .shards = 4,
            .hash_seed = 1,
        });
    }

    Scene& scene_;
    const std::optional<Mutant> mutant_;
    StoreSideClock clock_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Store> waiting_;  // null: in memory, where nothing is waited for
    ObservingStore observer_;
    std::unique_ptr<Store> shared_mutant_;
};

}  // namespace

std::unique_ptr<Backend> make_shared_backend(
    Scene& scene, std::optional<Mutant> mutant, const OpenSharedStore& open
)
{
    return std::make_unique<SharedBackend>(scene, mutant, open);
}

}  // namespace umavez::simulation
