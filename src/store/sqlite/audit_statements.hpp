#pragma once

// The audit's statements, each inside a transaction that somebody else opened.
//
// Entries lie in order of time; those of one key are found by an 8-byte hash of its identity,
// checked against the identity itself. Confined to the transaction.

#include "database/sqlite/sqlite_transaction.hpp"
#include "store/audit.hpp"

#include <vector>

namespace umavez {

// limit_exceeded: the detail is too long.
Result<void> insert_audit(
    SqliteTransaction& transaction,
    const RecordId& id,
    Instant at,
    const FencingToken& token,
    const AuditNote& note
);

// One entry for a whole sweep: umavez / umavez.sweep / sweep.
Result<void> insert_sweep_audit(SqliteTransaction& transaction, std::size_t records);

// Entries at or before `until`, the oldest first, at most `count_max`.
Result<std::size_t> delete_old_audit(
    SqliteTransaction& transaction, Instant until, std::size_t count_max
);

// The newest `count_max` entries of a key, oldest first.
Result<std::vector<AuditEntry>> read_timeline(
    SqliteTransaction& transaction, const RecordId& id, std::size_t count_max
);

}  // namespace umavez
