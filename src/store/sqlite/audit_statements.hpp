#pragma once

// The audit's statements, each inside a transaction that somebody else opened.
//
// Entries lie in order of time; those of one key are found by the id of its record or, without one,
// by the identity of its id, and checked against the id itself. Confined to the transaction.

#include "database/sqlite/sqlite_transaction.hpp"
#include "store/audit.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace umavez {

// What an entry is about. `row` is the id of the record where the caller has just written it.
struct AuditSubject {
    const RecordId& id;
    std::optional<std::int64_t> row = std::nullopt;
};

// limit_exceeded: the detail is too long.
Result<void> insert_audit(
    SqliteTransaction& transaction,
    const AuditSubject& subject,
    Instant at,
    const FencingToken& token,
    const AuditNote& note
);

// The record in `row` is gone; its last limits::timeline_kept_max entries can still be found, the
// others only wait for the end of their retention. Tells how many were kept.
Result<std::size_t> orphan_audit(
    SqliteTransaction& transaction, std::int64_t row, const RecordId& id
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
