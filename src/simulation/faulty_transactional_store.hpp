#pragma once

// FaultyTransactionalStore: FaultyStore for a store that lives in the process, with the transactional part
// handed on. Closures of the atomic mode are refused, delayed, or lose their answer like other writes.
// Confined to the simulation's thread.

#include "simulation/faulty_store.hpp"
#include "simulation/transactional_decorator.hpp"

#include <memory>
#include <utility>

namespace umavez::simulation {

class FaultyTransactionalStore final : public TransactionalDecorator {
public:
    FaultyTransactionalStore(Scene& scene, TransactionalStore& inner, NodeId node)
        : FaultyTransactionalStore(
              scene,
              inner,
              std::make_unique<FaultyStore>(
                  scene,
                  inner,
                  FaultyStoreOptions{
                      .node = node, .in_process = true, .many_writers = scene.swarm.many_writers
                  }
              )
          )
    {
    }

    Task<Result<void>> async_run(Closure closure, RunLimits limits) override
    {
        const FaultyStore::Fate fate = faulty_->draw_fate(FaultyStore::Command::write);
        co_await Sleep{scene_.world, fate.there};
        if (fate.refused) co_return fail(*fate.refused, "the simulated store refuses");
        Result<void> done = co_await transactional_.async_run(std::move(closure), limits);
        co_await Sleep{scene_.world, fate.back};
        if (fate.reply_lost) co_return fail(Errc::store_unknown, "the simulated answer was lost");
        co_return done;
    }

private:
    FaultyTransactionalStore(
        Scene& scene, TransactionalStore& inner, std::unique_ptr<FaultyStore> faulty
    )
        : TransactionalDecorator(*faulty, inner), scene_(scene), faulty_(std::move(faulty))
    {
    }

    Scene& scene_;
    const std::unique_ptr<FaultyStore> faulty_;  // the port, as one process sees it
};

}  // namespace umavez::simulation
