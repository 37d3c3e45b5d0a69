#pragma once

// How fast the databases' own programs fill the table of entries, its constraints and indexes included.
// Both write one durable transaction. Each call is one window in a fresh database. Failures throw.

#include "mailing/list_files.hpp"
#include "support/postgres_server.hpp"

#include <string>

namespace umavez::bench {

// Rows per second. `database` is a file that is not there yet.
double sqlite_import(const std::string& database, const ListFiles& files);
double postgres_copy(test::PostgresServer& server, const ListFiles& files);

}  // namespace umavez::bench
