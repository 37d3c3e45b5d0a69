#pragma once

// The times and sizes PostgreSQL is used with. Immutable.

#include <chrono>
#include <cstddef>

namespace umavez::pg::tuning {

using namespace std::chrono_literals;

// Making a connection, unless the URL says connect_timeout. Nobody waits for it that long: see
// below.
inline constexpr auto connect_limit = 5s;
// It is divided among the hosts of a URL, but each gets this much.
inline constexpr auto connect_limit_of_host = 1s;

// Between two tries to reach a server that is away.
inline constexpr auto backoff_first = 50ms;
inline constexpr auto backoff_most = 1s;

// How long a caller waits for a connection: while the server is away, and while the others are
// busy. The first keeps "503 within a second" true even where packets vanish.
inline constexpr auto patience_away = 800ms;
inline constexpr auto patience_busy = 5s;
// Once somebody waited in vain, idle connections must answer this fast before they are used.
inline constexpr auto patience_doubted = 250ms;

// A closure of Database::transact; the atomic mode brings its own limit.
inline constexpr auto run_limit = 2s;
inline constexpr auto read_limit = 30s;
inline constexpr auto look_limit = 2s;  // at one record
inline constexpr auto statement_limit = 5s;  // of a lane
// A commit without an answer waits for a standby, or its server is frozen. Its connection is kept for so
// long: closed, it would make room for the next one, and a server that waits would be filled with them.
inline constexpr auto overdue_kept = 60s;
inline constexpr auto kept_look = 100ms;  // how often it is looked at
inline constexpr auto migration_limit = 24h;

// What the server is told, so that it gives up by itself on a client that froze or vanished: it
// holds the locks of its keys until then.
inline constexpr auto lock_timeout = 1s;
inline constexpr auto idle_in_transaction_timeout = 10s;
inline constexpr auto client_check = 1s;

// Closures that lost a race inside the database (40001, 40P01, a lost connection) run again.
inline constexpr int closure_tries_max = 5;
inline constexpr auto retry_pause_most = 20ms;
// A closure's call ends after the wait for its key and so many run limits: one for the closure, one for its
// COMMIT, one to find out what became of a COMMIT without an answer.
inline constexpr int run_limits_per_call = 3;

// How often a program looks whether a newer one has migrated the schema.
inline constexpr auto schema_look = 1s;

inline constexpr std::size_t statements_cached_max = 256;
inline constexpr int savepoints_max = 8;

}  // namespace umavez::pg::tuning
