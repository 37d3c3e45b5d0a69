#pragma once

// Instants as other programs read them (RFC 3339, UTC). Thread-safe.

#include <umavez/time.hpp>

#include <string>

namespace umavez {

// "2026-01-31T12:00:00.000000Z"
std::string to_rfc3339(Instant instant);

}  // namespace umavez
