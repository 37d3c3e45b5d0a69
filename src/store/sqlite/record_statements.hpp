#pragma once

// The statements of the store, each inside a transaction that somebody else opened.
//
// No rule is in here: whether a write is allowed is asked of core/draft.hpp, in the same
// transaction as the write. Confined to the transaction.

#include "database/sqlite/sqlite_transaction.hpp"
#include "store/store.hpp"

#include <functional>

namespace umavez {

Result<Found> insert_or_get_record(SqliteTransaction& transaction, Insertion& insertion);
// Of a record that is not there; without its response, which the insertion keeps.
Result<Record> insert_record(SqliteTransaction& transaction, Insertion& insertion);
Result<Replaced> replace_record(SqliteTransaction& transaction, Replacement& replacement);
Result<Replaced> heartbeat_record(SqliteTransaction& transaction, const Heartbeat& heartbeat);
Result<std::optional<Record>> find_record(SqliteTransaction& transaction, const RecordId& id);

// A sweep that keeps up takes a few records at a time; it ends after any of them for others who wait. One
// that takes more is behind, and they wait for it.
struct SweepStepLimits {
    std::size_t count_max = 0;
    Duration audit_retention{0};
    std::function<bool()> others_wait;
};
Result<Swept> sweep_records(SqliteTransaction& transaction, const SweepStepLimits& step);

}  // namespace umavez
