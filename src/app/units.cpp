#include "app/units.hpp"

#include "base/limits.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace umavez {
namespace {

using Unit = std::pair<std::string_view, std::int64_t>;

constexpr std::array<Unit, 7> duration_units{{
    {"us", 1},
    {"ms", 1'000},
    {"s", 1'000'000},
    {"min", 60'000'000},
    {"m", 60'000'000},
    {"h", 3'600'000'000},
    {"d", 86'400'000'000},
}};

constexpr std::array<Unit, 4> size_units{{
    {"B", 1},
    {"KiB", 1024},
    {"MiB", 1024 * 1024},
    {"GiB", 1024 * 1024 * 1024},
}};

std::optional<std::int64_t> parse_number_and_unit(
    std::string_view text, std::span<const Unit> units
)
{
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) return std::nullopt;
    const std::string_view unit{rest, end};
    for (const auto& [name, factor] : units) {
        if (unit != name) continue;
        if (number > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
        return number * factor;
    }
    return std::nullopt;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text)
{
    if (const auto micros = parse_number_and_unit(text, duration_units)) {
        if (Duration{*micros} <= limits::duration_max) return Duration{*micros};
        return fail(
            Errc::misconfigured, fmt::format("\"{}\" is longer than 100 years", shown(text))
        );
    }
    return fail(
        Errc::misconfigured,
        fmt::format(
            "\"{}\" is not a duration; write a whole number and a unit: 250ms, 30s, 10min, 24h, "
            "90d",
            shown(text)
        )
    );
}

Result<std::optional<Duration>> parse_retention(std::string_view text)
{
    if (text == "forever") return std::optional<Duration>{};
    auto duration = parse_duration(text);
    if (!duration) {
        return fail(Errc::misconfigured, duration.error().detail + ", or forever");
    }
    return std::optional<Duration>{*duration};
}

Result<std::size_t> parse_size(std::string_view text)
{
    if (const auto bytes = parse_number_and_unit(text, size_units))
        return static_cast<std::size_t>(*bytes);
    return fail(
        Errc::misconfigured,
        fmt::format(
            "\"{}\" is not a size; write a whole number and a unit: 512B, 64KiB, 1MiB", shown(text)
        )
    );
}

}  // namespace umavez
