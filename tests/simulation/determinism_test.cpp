// The same seed gives the same world, event by event; another seed gives another.

#include "simulation/simulate.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace umavez::simulation {
namespace {

std::string json_of(SimulationOptions::Stores store, std::uint64_t seed)
{
    std::ostringstream progress;
    return to_json(simulate({.first_seed = seed, .seeds = 3, .store = store}, progress));
}

TEST(SimulationDeterminism, SameSeedGivesTheSameTraceInMemory)
{
    const auto memory = SimulationOptions::Stores::memory;

    EXPECT_EQ(json_of(memory, 7), json_of(memory, 7));
    EXPECT_NE(json_of(memory, 7), json_of(memory, 8));
}

TEST(SimulationDeterminism, SameSeedGivesTheSameTraceOnSqlite)
{
    const auto sqlite = SimulationOptions::Stores::sqlite;

    EXPECT_EQ(json_of(sqlite, 7), json_of(sqlite, 7));
    EXPECT_NE(json_of(sqlite, 7), json_of(sqlite, 8));
}

TEST(SimulationCommand, JsonIsTheLastLineOfStandardOutput)
{
    std::ostringstream out;
    std::ostringstream err;

    const int status = run_simulate_command({.first_seed = 1, .seeds = 2, .json = true}, out, err);

    EXPECT_EQ(status, 0) << err.str();
    EXPECT_TRUE(out.str().starts_with("{\"seeds\":2,\"first_seed\":1,\"operations\":")) << out.str();
    EXPECT_TRUE(out.str().ends_with("\"}\n")) << out.str();
}

TEST(SimulationCommand, UnknownMutantIsRefusedWithTheListOfThem)
{
    std::ostringstream out;
    std::ostringstream err;

    const int status = run_simulate_command({.mutant = "gremlin"}, out, err);

    EXPECT_EQ(status, 2);
    EXPECT_NE(err.str().find("fencing-off"), std::string::npos) << err.str();
}

TEST(SimulationCommand, FoundMutantIsASuccessAndIsShrunk)
{
    std::ostringstream out;
    std::ostringstream err;

    const int status = run_simulate_command(
        {.seeds = 500, .mutant = "release-on-exception", .progress = false, .stop_at_first = true},
        out,
        err
    );

    EXPECT_EQ(status, 0) << err.str();
    EXPECT_NE(err.str().find("smallest schedule found: seed="), std::string::npos) << err.str();
}

}  // namespace
}  // namespace umavez::simulation
