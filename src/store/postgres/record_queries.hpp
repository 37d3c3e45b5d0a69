#pragma once

// The queries for workers and for people, each inside a read-only transaction. Confined to it.

#include "database/postgres/postgres_transaction.hpp"
#include "store/store.hpp"

namespace umavez::pg {

Result<Due> query_due(PostgresTransaction& transaction, const DueQuery& query);
Result<StoreCounts> query_count(PostgresTransaction& transaction);
Result<RecordsPage> query_scan(PostgresTransaction& transaction, const RecordsQuery& query);
Result<StoriesPage> query_stories(PostgresTransaction& transaction, const StoriesQuery& query);

}  // namespace umavez::pg
