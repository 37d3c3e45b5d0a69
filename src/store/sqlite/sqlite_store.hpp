#pragma once

// The SQLite store: records and audit in the tables umavez_records and umavez_audit of a database
// that also holds the business rows. Thread-safe.

#include "store/transactional_store.hpp"

#include <memory>

namespace umavez {

// Creates or upgrades its tables. The database is an SQLite database and outlives the store.
Result<std::unique_ptr<TransactionalStore>> open_sqlite_store(Database& database);

}  // namespace umavez
