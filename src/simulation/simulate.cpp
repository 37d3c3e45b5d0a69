#include "simulation/simulate.hpp"

#include "simulation/postgres_ground.hpp"
#include "simulation/shrink.hpp"
#include "simulation/universe.hpp"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

namespace umavez::simulation {
namespace {

constexpr std::size_t failures_kept = 5;
constexpr std::uint64_t progress_every = 200;

StoreKind store_of(const SimulationOptions& options, std::uint64_t seed)
{
    if (options.store == SimulationOptions::Stores::postgres) return StoreKind::postgres;
    if (options.mutant) return StoreKind::memory;
    switch (options.store) {
        case SimulationOptions::Stores::memory: return StoreKind::memory;
        case SimulationOptions::Stores::sqlite: return StoreKind::sqlite;
        case SimulationOptions::Stores::postgres:
        case SimulationOptions::Stores::both: break;
    }
    return seed % 2 == 1 ? StoreKind::memory : StoreKind::sqlite;
}

std::optional<Mutant> mutant_of(const SimulationOptions& options)
{
    if (!options.mutant) return std::nullopt;
    const auto mutant = parse_mutant(*options.mutant);
    if (!mutant) throw std::invalid_argument("unknown mutant \"" + *options.mutant + "\"");
    return mutant;
}

std::unique_ptr<PostgresGround> ground_of(const SimulationOptions& options)
{
    if (options.store != SimulationOptions::Stores::postgres) return nullptr;
    auto ground = PostgresGround::open(options.postgres_url);
    if (!ground) throw std::runtime_error(ground.error().detail);
    return *std::move(ground);
}

void add(SimulationReport& report, const SeedResult& result)
{
    ++report.seeds;
    report.operations += result.operations;
    report.effects += result.effects;
    report.violations += result.violations.size();
    report.trace_hash = combine(report.trace_hash, result.trace_hash);
    for (std::size_t i = 0; i < report.reached.size(); ++i) report.reached[i] += result.reached[i];
    for (std::size_t i = 0; i < result.endings.size(); ++i) {
        report.endings[i].second += result.endings[i];
    }
}

FailedSeed to_failed(const SeedPlan& plan, const SeedResult& result, bool shrinks)
{
    FailedSeed failed{
        .seed = plan.seed,
        .store = std::string{to_text(plan.store)},
        .violations = result.violations,
    };
    const SeedPlan smallest = shrinks ? shrink(plan, result.violations.front()) : plan;
    failed.schedule = describe(smallest);
    failed.story = story_of(smallest);
    return failed;
}

void print_progress(const SimulationReport& report, std::ostream& progress)
{
    progress << fmt::format(
        "seed {}: {} operations, {} effects, {} violations\n",
        report.first_seed + report.seeds - 1, report.operations, report.effects, report.violations
    );
    progress.flush();
}

}  // namespace

SimulationReport simulate(const SimulationOptions& options, std::ostream& progress)
{
    const std::optional<Mutant> mutant = mutant_of(options);
    const std::unique_ptr<PostgresGround> ground = ground_of(options);
    SimulationReport report{.first_seed = options.first_seed};
    for (std::size_t i = 0; i < SeedResult{}.endings.size(); ++i) {
        report.endings.emplace_back(to_text(static_cast<Ending>(i)), 0);
    }
    for (std::uint64_t i = 0; i < options.seeds; ++i) {
        const std::uint64_t seed = options.first_seed + i;
        SeedPlan plan = plan_seed(seed, store_of(options, seed), mutant);
        plan.open_shared = options.open_shared;
        plan.postgres = ground.get();
        plan.keeps_trace = options.prints_trace;
        const SeedResult result = run_seed(plan);
        add(report, result);
        for (const std::string& line : result.trace) progress << line << '\n';
        if (!result.violations.empty() && report.failures.size() < failures_kept) {
            const bool shrinks = options.shrinks && report.failures.empty();
            report.failures.push_back(to_failed(plan, result, shrinks));
        }
        if (options.progress && report.seeds % progress_every == 0) print_progress(report, progress);
        if (!result.violations.empty() && options.stop_at_first) break;
    }
    return report;
}

std::vector<std::string> mutant_names()
{
    std::vector<std::string> names;
    for (const Mutant mutant : all_mutants()) names.emplace_back(to_text(mutant));
    return names;
}

}  // namespace umavez::simulation
