// The simulated world over a real Redis server: several processes, one server, virtual time.

#include "simulation/simulate.hpp"
#include "store/redis/redis_store.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <stdexcept>

namespace umavez::simulation {
namespace {

TEST(SimulationOnRedis, NoSeedViolatesAnInvariant)
{
    test::RedisServer server;
    SimulationOptions options{.first_seed = 1, .seeds = UMAVEZ_SIMULATION_SEEDS_DEFAULT};
    options.store = SimulationOptions::Stores::memory;
    // No stall of the machine is a server that does not answer.
    const std::string url =
        server.socket_url() + "?connections=1&connect_timeout=3600s&answer_timeout=3600s";
    options.open_shared = [&server, url](const Clock& clock) {
        server.command({"FLUSHALL"});
        auto store = open_redis_store(url, {.clock = &clock});
        if (!store) throw std::runtime_error(store.error().detail);
        return *std::move(store);
    };

    const SimulationReport report = simulate(options, std::cerr);

    std::cerr << to_json(report) << '\n';
    EXPECT_EQ(report.seeds, options.seeds);
    for (const FailedSeed& failed : report.failures) {
        for (const std::string& violation : failed.violations)
            ADD_FAILURE() << failed.seed << ": " << violation;
    }
    EXPECT_GT(report.operations, 0u);
    EXPECT_GT(report.effects, 0u);
}

}  // namespace
}  // namespace umavez::simulation
