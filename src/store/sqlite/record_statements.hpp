#pragma once

// The statements of the store, each inside a transaction that somebody else opened.
//
// No rule is in here: whether a write is allowed is asked of core/draft.hpp, in the same
// transaction as the write. Confined to the transaction.

#include "database/sqlite/sqlite_transaction.hpp"
#include "store/store.hpp"

namespace umavez {

Result<Found> insert_or_get_record(SqliteTransaction& transaction, Insertion& insertion);
// Of a record that is not there; without its response, which the insertion keeps.
Result<Record> insert_record(SqliteTransaction& transaction, Insertion& insertion);
Result<Replaced> replace_record(SqliteTransaction& transaction, Replacement& replacement);
Result<Replaced> heartbeat_record(SqliteTransaction& transaction, const Heartbeat& heartbeat);
Result<std::optional<Record>> find_record(SqliteTransaction& transaction, const RecordId& id);
Result<Swept> sweep_records(
    SqliteTransaction& transaction, std::size_t count_max, Duration audit_retention
);

}  // namespace umavez
