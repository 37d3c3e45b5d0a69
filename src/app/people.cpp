#include "app/people.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace umavez {
namespace {

constexpr std::array<std::string_view, 7> codes{"", "31", "32", "33", "34", "90", "1"};

// Characters, not bytes: continuation bytes take no place of their own.
std::size_t width_of(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

}  // namespace

bool wants_colour(std::FILE* stream)
{
    const char* const term = std::getenv("TERM");
    const char* const no_colour = std::getenv("NO_COLOR");
    return ::isatty(::fileno(stream)) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
           (term == nullptr || std::string_view{term} != "dumb");
}

std::string painted(std::string_view text, Colour colour)
{
    if (colour == Colour::none || !wants_colour(stdout)) return std::string{text};
    return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(colour)], text);
}

std::string to_distance(Instant at, Instant now)
{
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> units{
        {{86'400, "d"}, {3'600, "h"}, {60, "min"}, {1, "s"}}
    };
    const Duration distance = at < now ? now - at : at - now;
    const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(distance).count();
    for (const auto& [length, unit] : units) {
        if (seconds < length) continue;
        return at < now ? fmt::format("{} {} ago", seconds / length, unit)
                        : fmt::format("in {} {}", seconds / length, unit);
    }
    return "just now";
}

std::string to_columns(
    const std::vector<std::string>& heading, const std::vector<std::vector<Cell>>& rows
)
{
    if (rows.empty()) return {};
    std::vector<std::size_t> widths;
    for (const std::string& name : heading) widths.push_back(width_of(name));
    for (const std::vector<Cell>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i].text));
    }
    std::string text;
    const auto append = [&](const Cell& cell, std::size_t column) {
        text += painted(cell.text, cell.colour);
        const bool is_last = column + 1 == widths.size();
        text += is_last ? "\n" : std::string(widths[column] - width_of(cell.text) + 2, ' ');
    };
    for (std::size_t i = 0; i < heading.size(); ++i) append({heading[i], Colour::bold}, i);
    for (const std::vector<Cell>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) append(row[i], i);
    }
    return text;
}

}  // namespace umavez
