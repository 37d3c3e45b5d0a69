#include "app/progress.hpp"

#include "app/people.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unistd.h>

namespace umavez {
namespace {

constexpr std::size_t bar_width = 24;
constexpr Duration terminal_period = std::chrono::milliseconds{100};
constexpr Duration line_period = std::chrono::seconds{5};

double seconds_of(Duration took)
{
    return std::max(std::chrono::duration<double>(took).count(), 0.001);
}

std::string to_wait(double seconds)
{
    const auto whole = static_cast<std::int64_t>(seconds + 0.5);
    if (whole >= 3600) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
    if (whole >= 60) return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} s", whole);
}

}  // namespace

std::string to_size(std::int64_t bytes)
{
    constexpr std::array<std::string_view, 4> units{"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    auto size = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (size >= 1024 && unit + 1 < units.size()) {
        size /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string to_progress_line(const ProgressState& state, Duration took, std::size_t width)
{
    const double seconds = seconds_of(took);
    std::string line{state.what};
    if (state.bytes_total > 0) {
        const double part = std::min(
            1.0, static_cast<double>(state.bytes) / static_cast<double>(state.bytes_total)
        );
        const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
        line += fmt::format(
            " [{}{}] {:3}%  {} of {}",
            std::string(filled, '#'),
            std::string(width - filled, '-'),
            static_cast<int>(part * 100),
            to_size(state.bytes),
            to_size(state.bytes_total)
        );
    } else {
        line += "  " + to_size(state.bytes);
    }
    if (state.lines) {
        line += fmt::format(
            "  {} lines, {:.0f}/s", *state.lines, static_cast<double>(*state.lines) / seconds
        );
    }
    const std::int64_t left = state.bytes_total - state.bytes;
    if (state.bytes > 0 && left > 0) {
        line += fmt::format(
            ", {} left",
            to_wait(seconds * static_cast<double>(left) / static_cast<double>(state.bytes))
        );
    }
    return line;
}

Progress::Progress(bool is_quiet)
    : is_quiet_(is_quiet), is_terminal_(::isatty(::fileno(stderr)) == 1)
{
    begin();
}

void Progress::begin()
{
    end();
    began_ = system_clock().boottime();
    // A line at once would say 0 %.
    shown_ = is_terminal_ ? Duration{} : began_;
}

void Progress::show(const ProgressState& state)
{
    if (is_quiet_) return;
    const Duration now = system_clock().boottime();
    if (now - shown_ < (is_terminal_ ? terminal_period : line_period)) return;
    shown_ = now;
    const std::string line = to_progress_line(state, now - began_, bar_width);
    if (is_terminal_) {
        fmt::print(stderr, "\r{}\x1b[K", line);
        has_bar_ = true;
    } else {
        fmt::print(stderr, "{}\n", line);
    }
    std::fflush(stderr);
}

void Progress::end()
{
    if (has_bar_) fmt::print(stderr, "\n");
    has_bar_ = false;
}

}  // namespace umavez
