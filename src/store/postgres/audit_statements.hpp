#pragma once

// The audit's statements, each inside a transaction that somebody else opened. Confined to it.

#include "database/postgres/postgres_transaction.hpp"
#include "store/audit.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace umavez::pg {

// The subject of an entry whose key has no record: negative, so that it is no record's id.
std::int64_t subject_without_record(const RecordId& id);

// `row` is the id of the record where the caller has just written it. limit_exceeded: the detail is
// too long.
Result<void> insert_audit(
    PostgresTransaction& transaction,
    const RecordId& id,
    std::optional<std::int64_t> row,
    const FencingToken& token,
    const AuditNote& note
);

// One entry for a whole sweep: umavez / umavez.sweep / sweep.
Result<void> insert_sweep_audit(PostgresTransaction& transaction, std::size_t records);

// Entries at or before `until`, the oldest first, at most `count_max`, and as many traces of
// sweeps.
Result<std::size_t> delete_old_audit(
    PostgresTransaction& transaction, Instant until, std::size_t count_max
);

// The newest `count_max` entries of a key, oldest first.
Result<std::vector<AuditEntry>> read_timeline(
    PostgresTransaction& transaction, const RecordId& id, std::size_t count_max
);

}  // namespace umavez::pg
