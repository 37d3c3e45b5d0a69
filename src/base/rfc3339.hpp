#pragma once

// Instants as other programs read them (RFC 3339, UTC). Thread-safe.

#include <umavez/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace umavez {

// "2026-01-31T12:00:00.000000Z". What is not in the years 0 to 9999 becomes the nearest moment that is.
std::string to_rfc3339(Instant instant);

// Of exactly that form, and a time that exists; nullopt: another.
std::optional<Instant> parse_rfc3339(std::string_view text);

}  // namespace umavez
