#pragma once

// simulate(): many seeds, one after the other, and what came of them.
//
//     const SimulationReport report = simulate({.first_seed = 1, .seeds = 2000}, std::cerr);
//
// The report depends on the options alone: no wall clock, no address, no path goes into it.
// One simulation at a time per process: fault points have one hook.

#include "base/fault_point.hpp"
#include "store/store.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace umavez::simulation {

struct SimulationOptions {
    std::uint64_t first_seed = 1;
    std::uint64_t seeds = 100;
    bool json = false;
    std::optional<std::string> mutant;  // by name; not on SQLite

    // `both`: odd seeds in memory, even seeds on SQLite.
    enum class Stores : std::uint8_t { memory, sqlite, both, postgres };
    Stores store = Stores::both;

    // Under `memory`, a real server instead: called for every seed, gives an empty store under the clock of
    // the simulated world, and the clock outlives it.
    std::function<std::unique_ptr<Store>(const Clock&)> open_shared;

    // Under `postgres`: of a database that is empty or was made by an earlier simulation. It is emptied for
    // every seed.
    std::string postgres_url;

    bool progress = true;
    bool stop_at_first = false;  // violation
    bool shrinks = true;         // the first failing seed
    bool prints_trace = false;   // of every seed, for one seed at a time
};

struct FailedSeed {
    std::uint64_t seed = 0;
    std::string store;
    std::vector<std::string> violations;
    std::string schedule;            // what is left of it after shrinking
    std::vector<std::string> story;  // the trace of the key that is first complained about
};

struct SimulationReport {
    std::uint64_t first_seed = 1;
    std::uint64_t seeds = 0;
    std::uint64_t operations = 0;
    std::uint64_t violations = 0;
    std::uint64_t trace_hash = 0;
    std::uint64_t effects = 0;
    std::array<std::uint64_t, fault_points_count> reached{};
    std::vector<std::pair<std::string, std::uint64_t>> endings;
    std::vector<FailedSeed> failures;  // the first few
};

// Refuses an unknown mutant with std::invalid_argument, a database it cannot use with std::runtime_error.
SimulationReport simulate(const SimulationOptions& options, std::ostream& progress);

std::vector<std::string> mutant_names();

// The line that `umavez simulate --json` ends with.
std::string to_json(const SimulationReport& report);

// Progress and the summary go to `err`, with --json one object as the last line of `out`, else the summary
// to `out`. Gives the exit status: 0 if all is as it should be, which for a mutant means that it was found.
int run_simulate_command(const SimulationOptions& options, std::ostream& out, std::ostream& err);

}  // namespace umavez::simulation
