#pragma once

// PostgreSQL URLs: libpq's own, `postgres://user:password@host:port/database?parameters`, and two
// parameters of ours: `umavez_pooler=transaction` (a PgBouncer in transaction mode is between us
// and the server: no named statements, no session state) and `umavez_connections=N`.
//
// Everything else goes to libpq as it is, TLS options included. `target_session_attrs` is always
// read-write: what a standby shows may be older than what was acknowledged. Thread-safe.

#include <umavez/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::pg {

struct PostgresUrl {
    std::vector<std::pair<std::string, std::string>> parameters;  // for libpq
    bool is_pooled = false;
    std::optional<std::size_t> connections;
    std::string shown;  // without secrets
};

bool is_postgres_url(std::string_view url) noexcept;

// The error never repeats what follows the scheme: it may hold a password.
Result<PostgresUrl> parse_postgres_url(std::string_view url);

}  // namespace umavez::pg
