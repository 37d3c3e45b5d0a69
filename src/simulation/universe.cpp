#include "simulation/universe.hpp"

#include "simulation/client.hpp"
#include "simulation/shop.hpp"

#include <algorithm>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

void start_clients(Scene& scene, Shop& shop, const SeedPlan& plan)
{
    for (std::uint32_t i = 0; i < scene.swarm.clients; ++i) {
        const Dice dice = scene.world.dice().fork(1'000 + i);
        if (i < plan.clients_off.size() && plan.clients_off[i]) continue;
        std::vector<Intent> intents = draw_intents(scene, shop.operations(), dice.fork(1));
        scene.spawn(outside, 0, run_client(scene, shop, std::move(intents), dice.fork(2)));
    }
}

// Faults, then none, then nothing new, then the time that lease, settling and backoff may take.
void run_phases(Scene& scene, Shop& shop)
{
    const Swarm& swarm = scene.swarm;
    scene.world.run_until(swarm.faults_for);
    scene.world.tell("faults are over");
    scene.faults_on = false;
    shop.recover();
    scene.world.run_until(swarm.faults_for + 10s);
    scene.closing = true;
    scene.world.run_until(swarm.faults_for + 20s + swarm.lease * 18 + swarm.settle * 2);
}

std::unique_ptr<Backend> make_backend(Scene& scene, const SeedPlan& plan)
{
    switch (plan.store) {
        case StoreKind::memory: return make_shared_backend(scene, plan.mutant, plan.open_shared);
        case StoreKind::sqlite: return make_sqlite_backend(scene);
        case StoreKind::postgres: break;
    }
    return make_postgres_backend(scene, plan.mutant, *plan.postgres);
}

void sum_up(const Scene& scene, SeedResult& result)
{
    for (const Call& call : scene.evidence.calls) {
        if (call.is_worker || call.node == outside) continue;
        ++result.operations;
        ++result.endings[static_cast<std::size_t>(call.ending)];
        if (!scene.world.is_alive(call.node)) ++result.crashes;
    }
    for (const auto& [id, key] : scene.evidence.keys) result.effects += key.effects.size();
}

}  // namespace

SeedPlan plan_seed(std::uint64_t seed, StoreKind store, std::optional<Mutant> mutant)
{
    return {
        .seed = seed,
        .store = store,
        .swarm = draw_swarm(Dice{seed}.fork(99), store),
        .mutant = mutant,
    };
}

SeedResult run_seed(const SeedPlan& plan)
{
    Scene scene{plan.seed, plan.store, plan.swarm, plan.keeps_trace};
    const std::unique_ptr<Backend> backend = make_backend(scene, plan);
    SeedResult result;
    {
        Shop shop{scene, *backend};
        shop.open();
        start_clients(scene, shop, plan);
        run_phases(scene, shop);

        scene.world.clear();
        backend->gather();
        result.violations = audit(scene, backend->left(), shop.operations());
        result.reached = shop.reached();
        sum_up(scene, result);
        // Frames before the engines they point to: leases that were never completed are dropped here.
        scene.drop_roots();
    }
    result.trace_hash = scene.world.trace().hash();
    result.trace = scene.world.trace().lines();
    return result;
}

}  // namespace umavez::simulation
