#pragma once

// Clients: they pursue a few keys each, retry with the same key until they get a final answer, hang up when
// it takes too long, and sometimes reuse a key for something else. Confined to the simulation's thread.

#include "simulation/shop.hpp"

#include <string>
#include <vector>

namespace umavez::simulation {

struct Intent {
    const OperationPlan* plan = nullptr;
    RecordId id;
    std::string payload;
    bool keeps_lease = false;  // begin() instead of leased()
    std::optional<Duration> wait;
};

std::vector<Intent> draw_intents(Scene& scene, const std::vector<OperationPlan>& plans, Dice dice);

Task<void> run_client(Scene& scene, Shop& shop, std::vector<Intent> intents, Dice dice);

}  // namespace umavez::simulation
