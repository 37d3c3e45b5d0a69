#pragma once

// Durations and sizes as people write them. Thread-safe.

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace umavez {

// "250ms", "30s", "10min", "24h", "90d": a whole number and a unit.
Result<Duration> parse_duration(std::string_view text);

// As parse_duration, and "forever" is nullopt.
Result<std::optional<Duration>> parse_retention(std::string_view text);

// "512B", "64KiB", "1MiB", "1GiB"
Result<std::size_t> parse_size(std::string_view text);

}  // namespace umavez
