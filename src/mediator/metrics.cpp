#include "mediator/metrics.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

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

struct NamedCounter {
    std::string_view name;
    std::string_view help;
    std::uint64_t CommandStats::* counter;
};

constexpr std::array<NamedCounter, 3> counters{{
    {"umavez_mediator_takeovers_total",
     "Runs taken over from a process that died",
     &CommandStats::takeovers},
    {"umavez_mediator_mismatches_ignored_total",
     "Sends of another content under a known key, answered with the first result",
     &CommandStats::mismatches_ignored},
    {"umavez_mediator_unprotected_total",
     "Runs without a record, because the store was down",
     &CommandStats::unprotected},
}};

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
    for (const auto& [name, help, counter] : counters) {
        add_help(text, name, "counter", help);
        for (const CommandStats& stats : commands) {
            text += fmt::format("{}{{command=\"{}\"}} {}\n", name, stats.command, stats.*counter);
        }
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
