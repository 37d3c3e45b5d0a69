#include "base/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace umavez {
namespace {

// Levenshtein's distance, one row at a time.
std::size_t distance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> find_nearest(std::string_view word, std::span<const std::string> known)
{
    constexpr std::size_t word_bytes_max = 100;
    if (word.size() > word_bytes_max) return std::nullopt;
    std::optional<std::string> nearest;
    std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t far = distance(word, candidate);
        if (far >= best) continue;
        best = far;
        nearest = candidate;
    }
    return nearest;
}

std::string suggestion(std::string_view word, std::span<const std::string> known)
{
    const auto nearest = find_nearest(word, known);
    return nearest ? fmt::format(" (did you mean \"{}\"?)", *nearest) : std::string{};
}

}  // namespace umavez
