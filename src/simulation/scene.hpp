#pragma once

// Scene: everything that the actors of one seed share. Confined to the simulation's thread.

#include "simulation/authority.hpp"
#include "simulation/evidence.hpp"
#include "simulation/swarm.hpp"
#include "simulation/world.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace umavez::simulation {

class Scene {
public:
    Scene(std::uint64_t seed, StoreKind store_kind, Swarm drawn, bool keeps_trace)
        : world(seed, keeps_trace),
          swarm(std::move(drawn)),
          store(store_kind),
          authority(world, evidence),
          scheduling_(world.dice().fork(1))
    {
    }

    World world;
    const Swarm swarm;
    const StoreKind store;
    Evidence evidence;
    Authority authority;

    // Numbers of effects that are rows; far from the authority's.
    std::uint64_t row_numbers = 1'000'000;

    // Ends with the first phase.
    bool faults_on = true;

    // Clients begin nothing new.
    bool closing = false;

    bool strikes(FaultKind kind, Dice& dice) const
    {
        // Drawn in any case, so that the draws that follow do not depend on the phase.
        return dice.chance(swarm.rate(kind)) && faults_on;
    }

    CallId begin_call(NodeId node, const RecordId& id, std::string payload)
    {
        const auto call = static_cast<CallId>(evidence.calls.size());
        evidence.calls.push_back(
            {.node = node, .payload = std::move(payload), .began = world.now()}
        );
        evidence.keys[id].calls.push_back(call);
        return call;
    }

    CallId begin_work(NodeId node)
    {
        evidence.calls.push_back({.node = node, .is_worker = true, .began = world.now()});
        return static_cast<CallId>(evidence.calls.size() - 1);
    }

    // Starts a task of `node` that nobody awaits. Frames that are still suspended are kept until
    // drop_roots(): a dead process never gets to clean up after itself.
    void spawn(NodeId node, CallId call, Task<void> task)
    {
        auto root = std::make_unique<Root>(
            world, scheduling_, node, call, std::chrono::milliseconds{2}
        );
        Root& started = *root;
        roots_.push_back(std::move(root));
        world.run_as(node, [&] { started.run(std::move(task)); });
        // Later: a task that has just ended may still be on the stack.
        if (++spawned_ % 64 == 0) world.post(Duration{0}, outside, [this] { forget_ended(); });
    }

    // Nothing that was spawned may throw.
    void drop_roots()
    {
        forget_ended();
        roots_.clear();
    }
    Dice& scheduling() noexcept { return scheduling_; }

private:
    void forget_ended()
    {
        for (const auto& root : roots_) {
            if (root->is_done()) root->take();
        }
        std::erase_if(roots_, [](const auto& root) { return root->is_done(); });
    }

    Dice scheduling_;
    std::uint64_t spawned_ = 0;
    std::vector<std::unique_ptr<Root>> roots_;
};

}  // namespace umavez::simulation
