#include "mediator/metrics.hpp"

#include <fmt/format.h>

namespace umavez {

double CommandStats::duplication_rate() const noexcept
{
    const std::uint64_t again = count(SendOutcome::hit) + count(SendOutcome::hit_after_wait) +
                                count(SendOutcome::conflict) + count(SendOutcome::mismatch) +
                                count(SendOutcome::in_doubt) + count(SendOutcome::unreadable);
    const std::uint64_t all = again + count(SendOutcome::executed) + count(SendOutcome::failed);
    return all == 0 ? 0.0 : static_cast<double>(again) / static_cast<double>(all);
}

namespace detail {
namespace {

// Names of commands need no escapes: command.hpp says what they are made of.
void add_help(
    std::string& text, std::string_view name, std::string_view type, std::string_view help
)
{
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

std::string to_metrics_text(const std::vector<CommandStats>& commands)
{
    std::string text;
    add_help(text, "umavez_mediator_total", "counter", "Commands sent, by how it ended");
    for (const CommandStats& stats : commands) {
        for (std::size_t i = 0; i < stats.ended.size(); ++i) {
            text += fmt::format(
                "umavez_mediator_total{{command=\"{}\",outcome=\"{}\"}} {}\n",
                stats.command,
                to_text(static_cast<SendOutcome>(i)),
                stats.ended[i]
            );
        }
    }
    add_help(
        text,
        "umavez_mediator_takeovers_total",
        "counter",
        "Runs taken over from a process that died"
    );
    for (const CommandStats& stats : commands) {
        text += fmt::format(
            "umavez_mediator_takeovers_total{{command=\"{}\"}} {}\n", stats.command, stats.takeovers
        );
    }
    add_help(
        text,
        "umavez_mediator_mismatches_ignored_total",
        "counter",
        "Sends of another content under a known key, answered with the first result"
    );
    for (const CommandStats& stats : commands) {
        text += fmt::format(
            "umavez_mediator_mismatches_ignored_total{{command=\"{}\"}} {}\n",
            stats.command,
            stats.mismatches_ignored
        );
    }
    add_help(
        text,
        "umavez_mediator_duplication_rate",
        "gauge",
        "Of the sends that reached a key, the share sent before"
    );
    for (const CommandStats& stats : commands) {
        text += fmt::format(
            "umavez_mediator_duplication_rate{{command=\"{}\"}} {}\n",
            stats.command,
            stats.duplication_rate()
        );
    }
    return text;
}

}  // namespace detail
}  // namespace umavez
