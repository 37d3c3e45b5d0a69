#pragma once

// Records to parameters and back, in PostgreSQL's binary format. Whatever comes out of the database
// is checked: a value that no version of this program wrote is corrupt_record, never a guess and
// never a crash. Thread-safe.

#include "core/draft.hpp"
#include "database/postgres/answer.hpp"
#include "database/postgres/parameters.hpp"
#include "store/codec.hpp"
#include "store/store.hpp"

#include <span>

namespace umavez::pg {

// Columns 0 to 24 of every SELECT that read_record understands; the identity follows as 25 to 27.
#define UMAVEZ_PG_RECORD_COLUMNS                                                                 \
    "r.id, r.target, r.fingerprint, r.fingerprint_version, r.status, r.final, r.mode, r.epoch, " \
    "r.execution, r.attempts, r.takeovers, r.retry_at, r.created_at, r.updated_at, "             \
    "r.completed_at, "                                                                           \
    "r.processing_expires_at, r.expires_at, r.response_status, r.response_digest, "              \
    "r.response_omitted, r.entity_type, r.entity_id, r.response_headers, r.response_body, "      \
    "r.checkpoint"
#define UMAVEZ_PG_RECORD_ID_COLUMNS "r.tenant_id, r.operation, r.key"

// The time of the statement: the server's, or a test's.
#define UMAVEZ_PG_CLOCK(override) \
    "coalesce(" override "::int8, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)"

Result<Record> read_record(const Answer& answer, std::size_t row);
Result<RecordId> read_record_id(const Answer& answer, std::size_t row, std::size_t first_column);
Result<NamedRecord> read_named_record(const Answer& answer, std::size_t row);

// Limits, and texts that the database could not hold. Asked before a member joins others.
Result<void> check_draft(const Draft& draft);
// What is told happened anyway: bytes that are no text are replaced.
std::string storable(std::string_view detail);

void add_record_id(Parameters& parameters, const RecordId& id);
void add_record(
    Parameters& parameters,
    const Record& record,
    const std::optional<StoredResponse>& response,
    std::string& headers
);

void add_response(
    Parameters& parameters, const std::optional<StoredResponse>& response, std::string& headers
);
void add_checkpoint(Parameters& parameters, const std::string& checkpoint);

// One array per column, of whatever `members` projects to.
template <typename Member, typename Projection>
void add_texts(Parameters& parameters, std::span<Member> members, Projection of)
{
    parameters.begin_array(type::text, members.size());
    for (auto& member : members) parameters.element(std::string_view{of(member)});
}
template <typename Member, typename Projection>
void add_bytes(Parameters& parameters, std::span<Member> members, Projection of)
{
    parameters.begin_array(type::bytea, members.size());
    for (auto& member : members) parameters.element(std::string_view{of(member)});
}
template <typename Member, typename Projection>
void add_integers(Parameters& parameters, std::span<Member> members, Projection of)
{
    parameters.begin_array(type::int8, members.size());
    for (auto& member : members) parameters.element(of(member));
}

// The columns of many drafts and their audit notes, 25 arrays in the order of draft_columns.
struct DraftRow {
    const RecordId* id = nullptr;
    const Draft* draft = nullptr;
    const std::optional<AuditNote>* audit = nullptr;
};
void add_record_ids(Parameters& parameters, std::span<const DraftRow> rows);
void add_drafts(Parameters& parameters, std::span<const DraftRow> rows);

}  // namespace umavez::pg
