#pragma once

// A lock was not had in time: was it a key's, which a request under way holds, or is the whole table
// locked, by a VACUUM FULL, a CREATE INDEX, an ALTER TABLE or a hand? The server gives both the same code.
// Confined to the thread of the connection.

#include "database/postgres/connection.hpp"

namespace umavez::pg {

// `probe` takes the lock that a write takes and does not wait for it. True: it was not to be had.
bool is_table_locked(Connection& connection, const StaticSql& probe);

Error table_locked_error();

}  // namespace umavez::pg
