#pragma once

// The records inside a transaction that somebody else opened: for the atomic mode, fenced
// completions and sweeps. Conditions are judged by matches() of core, on a row that is locked.
// Confined to the transaction.

#include "database/postgres/postgres_transaction.hpp"
#include "store/store.hpp"

#include <optional>
#include <vector>

namespace umavez::pg {

// busy: another transaction holds the key and did not end in time.
Result<Found> insert_or_get_record(PostgresTransaction& transaction, Insertion& insertion);
// What was written, without the response. unique_violation: it is there already, and all is
// spoiled.
Result<Record> insert_record(PostgresTransaction& transaction, Insertion& insertion);
// A record that this transaction wrote itself is written again without asking: it travels with
// COMMIT.
Result<Replaced> replace_record(PostgresTransaction& transaction, Replacement& replacement);
// Many, by other keys each, in one statement.
Result<std::vector<Replaced>> replace_records(
    PostgresTransaction& transaction, std::vector<Replacement>& replacements
);

Result<Sighting> find_record(PostgresTransaction& transaction, const RecordId& id);
// The same in a trip of its own, without a transaction.
Result<Sighting> find_record(
    Connection& connection, const RecordId& id, std::optional<std::int64_t> clock
);

Result<Swept> sweep_records(
    PostgresTransaction& transaction, std::size_t count_max, Duration audit_retention
);

}  // namespace umavez::pg
