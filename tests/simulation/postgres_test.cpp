// The simulated world over a real PostgreSQL server: several processes, records and business rows in one
// database, virtual time. How many seeds is UMAVEZ_SIMULATION_POSTGRES_SEEDS, else what suits the build.

#include "simulation/simulate.hpp"
#include "store/postgres/postgres_store.hpp"
#include "support/postgres_server.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace umavez::simulation {
namespace {

std::uint64_t seeds_to_run()
{
    if (const char* const wanted = std::getenv("UMAVEZ_SIMULATION_POSTGRES_SEEDS")) {
        return std::stoull(wanted);
    }
    return UMAVEZ_SIMULATION_SEEDS_DEFAULT;
}

SimulationOptions on_postgres(const test::PostgresSchema& schema)
{
    return {
        .store = SimulationOptions::Stores::postgres,
        .postgres_url = schema.url(),
        .progress = false,
    };
}

TEST(SimulationOnPostgres, NoSeedViolatesAnInvariant)
{
    const test::PostgresSchema schema;
    SimulationOptions options = on_postgres(schema);
    options.seeds = seeds_to_run();

    const SimulationReport report = simulate(options, std::cerr);

    std::cerr << to_json(report) << '\n';
    EXPECT_EQ(report.seeds, options.seeds);
    for (const FailedSeed& failed : report.failures) {
        for (const std::string& violation : failed.violations)
            ADD_FAILURE() << failed.seed << ": " << violation << "\n  " << failed.schedule;
        for (const std::string& line : failed.story) std::cerr << line << '\n';
    }
    EXPECT_GT(report.effects, 0u);
    for (const FaultPoint point :
         {FaultPoint::lane_before_commit, FaultPoint::lane_after_commit, FaultPoint::atomic_after_claim,
          FaultPoint::atomic_after_handler}) {
        EXPECT_GT(report.reached[static_cast<std::size_t>(point)], 0u) << umavez::to_text(point);
    }
}

TEST(SimulationOnPostgres, SameSeedGivesTheSameTrace)
{
    const test::PostgresSchema schema;
    std::ostringstream progress;
    const auto json_of = [&](std::uint64_t seed) {
        SimulationOptions options = on_postgres(schema);
        options.first_seed = seed;
        options.seeds = 1;
        return to_json(simulate(options, progress));
    };

    EXPECT_EQ(json_of(7), json_of(7));
    EXPECT_NE(json_of(7), json_of(9));
}

// A simulation deletes what it finds.
TEST(SimulationOnPostgres, DatabaseWithRecordsOfSomebodyElseIsRefused)
{
    const test::PostgresSchema schema;
    std::ostringstream out;
    std::ostringstream err;
    {
        auto database = open_database(schema.url(), {.durable = false});
        ASSERT_TRUE(database) << database.error().detail;
        ASSERT_TRUE(open_postgres_store(**database));
    }

    EXPECT_EQ(run_simulate_command(on_postgres(schema), out, err), 1);
    EXPECT_NE(err.str().find("a database of its own"), std::string::npos) << err.str();
}

// Each is looked for from the first seed on that is known to find it: a seed is half a second here.
TEST(SimulationOnPostgres, EveryMutantIsFound)
{
    const test::PostgresSchema schema;
    const std::map<std::string, std::uint64_t> first_seeds = {
        {"fingerprint-skipped", 6},
        {"plain-read-back", 6},
        {"takeover-ignores-heartbeat", 266},
    };
    for (const std::string& mutant : mutant_names()) {
        SimulationOptions options = on_postgres(schema);
        const auto first = first_seeds.find(mutant);
        options.first_seed = first == first_seeds.end() ? 1 : first->second;
        options.seeds = 300;
        options.mutant = mutant;
        options.stop_at_first = true;
        options.shrinks = false;

        const SimulationReport report = simulate(options, std::cerr);

        EXPECT_GT(report.violations, 0u) << mutant << ": not found in " << report.seeds << " seeds";
        std::cerr << mutant << ": found after " << report.seeds << " seeds\n";
    }
}

}  // namespace
}  // namespace umavez::simulation
