#pragma once

// Output for people: colours where they are wanted, columns, times as distances. Thread-safe.

#include <umavez/time.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

enum class Colour : std::uint8_t { none, red, green, yellow, blue, grey, bold };

// Only on a terminal, and not where NO_COLOR or TERM=dumb say otherwise.
bool wants_colour(std::FILE* stream);

// `text` in that colour where standard output wants colours.
std::string painted(std::string_view text, Colour colour);

// "just now", "3 min ago", "in 5 h".
std::string to_distance(Instant at, Instant now);

struct Cell {
    std::string text;
    Colour colour = Colour::none;
};

// Columns as wide as their widest cell; the heading is left out where nobody looks (no terminal is
// needed for columns). Empty: no rows.
std::string to_columns(
    const std::vector<std::string>& heading, const std::vector<std::vector<Cell>>& rows
);

}  // namespace umavez
