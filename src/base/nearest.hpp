#pragma once

// The nearest of the known words, for "did you mean". Thread-safe.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace umavez {

// Nullopt where none is near enough to be a slip of the fingers.
std::optional<std::string> find_nearest(std::string_view word, std::span<const std::string> known);

// " (did you mean \"listen\"?)", or nothing.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace umavez
