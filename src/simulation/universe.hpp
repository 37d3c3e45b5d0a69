#pragma once

// Universe: one seed from its first event to the auditor's word. Pure: the same plan gives the same result.

#include "simulation/auditor.hpp"
#include "simulation/backend.hpp"
#include "simulation/mutants.hpp"
#include "simulation/swarm.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace umavez::simulation {

struct SeedPlan {
    std::uint64_t seed = 1;
    StoreKind store = StoreKind::memory;
    Swarm swarm;
    std::vector<bool> clients_off;  // by number; shorter than `swarm.clients` means on
    std::optional<Mutant> mutant;
    OpenSharedStore open_shared;         // null: in memory
    PostgresGround* postgres = nullptr;  // for StoreKind::postgres
    bool keeps_trace = false;
};

struct SeedResult {
    Violations violations;
    std::uint64_t trace_hash = 0;
    std::uint64_t operations = 0;  // calls of clients
    std::uint64_t effects = 0;
    std::uint64_t crashes = 0;
    std::array<std::uint64_t, fault_points_count> reached{};
    std::array<std::uint64_t, 11> endings{};
    std::vector<std::string> trace;
};

SeedPlan plan_seed(std::uint64_t seed, StoreKind store, std::optional<Mutant> mutant);

SeedResult run_seed(const SeedPlan& plan);

}  // namespace umavez::simulation
