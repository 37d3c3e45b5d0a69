#pragma once

// The PostgreSQL store: records and audit in the tables umavez_records, umavez_audit and
// umavez_swept of a database that also holds the business rows. Many processes may share it.
// Thread-safe.

#include "store/transactional_store.hpp"

#include <memory>

namespace umavez {

// Creates or upgrades its tables. The database is a PostgreSQL database and outlives the store.
Result<std::unique_ptr<TransactionalStore>> open_postgres_store(Database& database);

}  // namespace umavez
