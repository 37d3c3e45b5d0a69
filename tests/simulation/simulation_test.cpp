// The simulator as a test: no seed may violate an invariant, every fault point must be reached, and every
// known mistake must be found. How many seeds is UMAVEZ_SIMULATION_SEEDS, else what suits the build.

#include "simulation/simulate.hpp"
#include "simulation/universe.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

namespace umavez::simulation {
namespace {

std::uint64_t seeds_to_run()
{
    if (const char* const wanted = std::getenv("UMAVEZ_SIMULATION_SEEDS")) return std::stoull(wanted);
    return UMAVEZ_SIMULATION_SEEDS_DEFAULT;
}

std::string story(const SimulationReport& report)
{
    std::ostringstream text;
    for (const FailedSeed& failed : report.failures) {
        text << "seed " << failed.seed << " on " << failed.store << '\n';
        for (const std::string& violation : failed.violations) text << "  " << violation << '\n';
        text << "  " << failed.schedule << '\n';
        for (const std::string& line : failed.story) text << "    " << line << '\n';
    }
    return text.str();
}

TEST(Simulation, NoSeedViolatesAnInvariantAndEveryFaultPointIsReached)
{
    const std::uint64_t seeds = seeds_to_run();

    const SimulationReport report = simulate({.first_seed = 1, .seeds = seeds}, std::cerr);

    std::cerr << to_json(report) << '\n';
    EXPECT_EQ(report.seeds, seeds);
    EXPECT_EQ(report.violations, 0u) << story(report);
    for (std::size_t i = 0; i < report.reached.size(); ++i) {
        EXPECT_GT(report.reached[i], 0u) << umavez::to_text(static_cast<FaultPoint>(i));
    }
    for (const auto& [ending, count] : report.endings) {
        EXPECT_GT(count, 0u) << "no call ever ended " << ending;
    }
}

TEST(Simulation, NoSeedViolatesAnInvariantWhereTheEngineMayNotRelyOnBeingTheOnlyWriter)
{
    std::size_t effects = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SeedPlan plan = plan_seed(seed, StoreKind::sqlite, std::nullopt);
        plan.swarm.many_writers = true;

        const SeedResult result = run_seed(plan);

        for (const std::string& violation : result.violations) ADD_FAILURE() << violation;
        effects += result.effects;
    }
    EXPECT_GT(effects, 0u);
}

class MutantTest : public testing::TestWithParam<std::string> {};

TEST_P(MutantTest, IsFound)
{
    const SimulationReport report = simulate(
        {.first_seed = 1,
         .seeds = 2000,
         .mutant = GetParam(),
         .progress = false,
         .stop_at_first = true,
         .shrinks = false},
        std::cerr
    );

    EXPECT_GT(report.violations, 0u) << "not found in " << report.seeds << " seeds";
    std::cerr << GetParam() << ": found after " << report.seeds << " seeds";
    if (!report.failures.empty()) std::cerr << ": " << report.failures.front().violations.front();
    std::cerr << '\n';
}

INSTANTIATE_TEST_SUITE_P(
    Simulation,
    MutantTest,
    testing::ValuesIn(mutant_names()),
    [](const auto& each) {
        std::string name = each.param;
        std::erase(name, '-');
        return name;
    }
);

}  // namespace
}  // namespace umavez::simulation
