#include "simulation/simulate.hpp"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

namespace umavez::simulation {
namespace {

constexpr std::size_t story_lines_max = 200;

void print_failure(const FailedSeed& failed, bool has_mutant, std::ostream& err)
{
    err << fmt::format("\nseed {} on {}:\n", failed.seed, failed.store);
    for (const std::string& violation : failed.violations) err << "  " << violation << '\n';
    err << "  smallest schedule found: " << failed.schedule << '\n';
    const std::size_t from =
        failed.story.size() > story_lines_max ? failed.story.size() - story_lines_max : 0;
    for (std::size_t i = from; i < failed.story.size(); ++i) err << "    " << failed.story[i] << '\n';
    if (has_mutant) return;
    err << fmt::format(
        "  again: umavez simulate --seed {} --seeds 1 --store {}{} --trace\n", failed.seed, failed.store,
        failed.store == "postgres" ? "://…" : ""
    );
}

void print_summary(const SimulationReport& report, std::ostream& out)
{
    out << fmt::format(
        "{} seeds from {}: {} operations, {} effects, {} violations, trace {:016x}\n", report.seeds,
        report.first_seed, report.operations, report.effects, report.violations, report.trace_hash
    );
    out << "answers:";
    for (const auto& [ending, count] : report.endings) out << fmt::format(" {}={}", ending, count);
    out << "\nfault points:";
    for (std::size_t i = 0; i < report.reached.size(); ++i) {
        const auto point = static_cast<FaultPoint>(i);
        out << fmt::format(" {}={}", umavez::to_text(point), report.reached[i]);
    }
    out << '\n';
}

}  // namespace

std::string to_json(const SimulationReport& report)
{
    return fmt::format(
        R"({{"seeds":{},"first_seed":{},"operations":{},"violations":{},"trace_hash":"{:016x}"}})",
        report.seeds, report.first_seed, report.operations, report.violations, report.trace_hash
    );
}

int run_simulate_command(const SimulationOptions& options, std::ostream& out, std::ostream& err)
{
    SimulationReport report;
    try {
        report = simulate(options, err);
    } catch (const std::invalid_argument& wrong) {
        err << wrong.what() << "; there are:";
        for (const std::string& name : mutant_names()) err << ' ' << name;
        err << '\n';
        return 2;
    } catch (const std::runtime_error& broken) {
        err << broken.what() << '\n';
        return 1;
    }
    for (const FailedSeed& failed : report.failures) {
        print_failure(failed, options.mutant.has_value(), err);
    }
    print_summary(report, options.json ? err : out);
    if (options.json) out << to_json(report) << '\n';
    const bool is_found = report.violations > 0;
    return is_found == options.mutant.has_value() ? 0 : 1;
}

}  // namespace umavez::simulation
