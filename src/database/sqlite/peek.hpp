#pragma once

// A look into a database that this process does not open: it may be another's, or nobody's. No file is
// made or left behind, so whoever looks need not be who owns the others. Thread-safe.

#include <cstdint>
#include <optional>
#include <string>

namespace umavez {

// The number that `sql` gives. Nullopt: there is none, or it cannot be read without leaving something.
std::optional<std::int64_t> peek_integer(const std::string& path, const std::string& sql);

}  // namespace umavez
