#pragma once

// Database URLs: `sqlite:PATH` and `sqlite::memory:`. Thread-safe.

#include <umavez/result.hpp>

#include <string>
#include <string_view>

namespace umavez {

struct SqliteUrl {
    std::string path;  // empty: in memory
    bool is_memory() const noexcept { return path.empty(); }
};

// The error never repeats what follows the scheme: it may hold a password.
Result<SqliteUrl> parse_database_url(std::string_view url);

}  // namespace umavez
