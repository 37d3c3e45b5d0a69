#pragma once

// What `config check` and `serve` refuse before anything is opened for writing. Thread-safe.

#include "app/settings.hpp"

#include <umavez/result.hpp>

namespace umavez {

// Everything that can be checked without opening the database.
Result<void> check_settings(const Settings& settings);

// Whoever reaches a server without tokens is served as an operator: so only this machine may.
Result<void> check_listen(const Settings& settings, bool has_tokens);

// The same by what the database's file says now, which is only read. Where it cannot be read, or is on a
// server, nothing is refused: opening it will tell.
Result<void> check_listen(const Settings& settings);

}  // namespace umavez
