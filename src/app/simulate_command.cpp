// `umavez simulate`: the engine in a world made from a seed, where processes crash and answers are
// lost.

#include "app/commands.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <limits>
#include <vector>

namespace umavez {
namespace {

using simulation::SimulationOptions;

bool take_number(const Invocation& invocation, std::string_view flag, std::uint64_t& out)
{
    const auto text = invocation.find(flag);
    if (!text) return true;
    const char* const end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, out);
    return error == std::errc{} && rest == end;
}

int simulate(const Invocation& invocation)
{
    SimulationOptions options;
    for (const auto& [flag, number] :
         {std::pair{"--seed", &options.first_seed}, std::pair{"--seeds", &options.seeds}}) {
        if (take_number(invocation, flag, *number)) continue;
        return complain(
            fmt::format("{}: \"{}\" is not a whole number", flag, shown(*invocation.find(flag))),
            exit_usage
        );
    }
    if (options.seeds == 0) {
        return complain("--seeds: 0 simulates nothing; write 1 or more", exit_usage);
    }
    if (options.seeds - 1 > std::numeric_limits<std::uint64_t>::max() - options.first_seed) {
        return complain(
            fmt::format(
                "--seed: {} seeds from {} on go beyond the largest number",
                options.seeds,
                options.first_seed
            ),
            exit_usage
        );
    }
    const std::string store = invocation.find("--store").value_or("both");
    if (store == "memory") {
        options.store = SimulationOptions::Stores::memory;
    } else if (store == "sqlite") {
        options.store = SimulationOptions::Stores::sqlite;
    } else if (store.starts_with("postgres://") || store.starts_with("postgresql://")) {
        options.store = SimulationOptions::Stores::postgres;
        options.postgres_url = store;
    } else if (store != "both") {
        return complain(
            fmt::format(
                "--store: \"{}\" is not one of memory, sqlite, both, postgres://…", shown(store)
            ),
            exit_usage
        );
    }
    options.json = invocation.has("--json");
    options.mutant = invocation.find("--mutant");
    const std::vector<std::string> mutants = simulation::mutant_names();
    if (options.mutant && std::ranges::find(mutants, *options.mutant) == mutants.end()) {
        return complain(
            fmt::format(
                "--mutant: \"{}\" is not one of {}{}",
                shown(*options.mutant),
                fmt::join(mutants, ", "),
                suggestion(*options.mutant, mutants)
            ),
            exit_usage
        );
    }
    options.prints_trace = invocation.has("--trace");
    return simulation::run_simulate_command(options, std::cout, std::cerr);
}

}  // namespace

Command simulate_command()
{
    return {
        .name = "simulate",
        .summary = "Run the engine in simulated worlds that crash, and audit every effect",
        .example = "umavez simulate --seed 1 --seeds 1000",
        .options =
            {{"--seed", "N", "the first seed [1]"},
             {"--seeds", "N", "how many [100]"},
             {"--store", "NAME", "memory, sqlite, both or postgres://… [both]"},
             {"--json", "", "one object as the last line"},
             {"--trace", "", "every event; for one seed at a time"},
             {"--mutant", "NAME", "with this defect built in, which must be found"}},
        .takes_settings = false,
        .argument = {},
        .run = simulate,
    };
}

}  // namespace umavez
