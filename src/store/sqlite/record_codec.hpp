#pragma once

// Records to columns and back. Whatever comes out of the database is checked: a value that no
// version of this program wrote is corrupt_record, never a guess and never a crash. Thread-safe.

#include "database/sqlite/statement.hpp"
#include "store/codec.hpp"

#include <umavez/record.hpp>
#include <umavez/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// Columns 0 to 24 of every SELECT that read_record understands; the record's id follows as 25 to 27.
#define UMAVEZ_RECORD_COLUMNS                                                               \
    "id, target, fingerprint, fingerprint_version, status, final, mode, epoch, execution, " \
    "attempts, takeovers, retry_at, created_at, updated_at, completed_at, "                 \
    "processing_expires_at, expires_at, response_status, response_digest, "                 \
    "response_omitted, entity_type, entity_id, response_headers, response_body, checkpoint"
#define UMAVEZ_RECORD_ID_COLUMNS "tenant_id, operation, key"

// Binds ?4 to ?27: the columns above without `id`, in their order. `response` stands for the
// record's own, which may have been left out to save a copy. `headers` keeps the bytes alive.
void bind_record(
    Statement& statement,
    const Record& record,
    const std::optional<StoredResponse>& response,
    std::string& headers
);

// The record in the current row.
Result<Record> read_record(const Statement& statement);
// Of a record only what conditions ask about: columns 1 to 4 are epoch, execution, status and
// processing_expires_at.
Result<Record> read_record_head(const Statement& statement);
// A whole record with its id.
Result<NamedRecord> read_named_record(const Statement& statement);
Result<RecordId> read_record_id(const Statement& statement, int first_column);

}  // namespace umavez
