#pragma once

// What workers and people ask of the records: due, scan, stories, count. Reads only, on a reader. Confined
// to the transaction.

#include "database/sqlite/sqlite_transaction.hpp"
#include "store/store.hpp"

namespace umavez {

Result<Due> query_due(SqliteTransaction& transaction, const DueQuery& query);
Result<RecordsPage> query_scan(SqliteTransaction& transaction, const RecordsQuery& query);
Result<StoriesPage> query_stories(SqliteTransaction& transaction, const StoriesQuery& query);
Result<StoreCounts> query_count(SqliteTransaction& transaction);

}  // namespace umavez
