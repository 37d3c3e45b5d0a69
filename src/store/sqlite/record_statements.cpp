#include "store/sqlite/record_statements.hpp"

#include "base/limits.hpp"
#include "core/decide.hpp"
#include "core/transition.hpp"
#include "store/sqlite/audit_statements.hpp"
#include "store/identity.hpp"
#include "store/sqlite/record_codec.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez {
namespace {

// The rank is 0 unless another record id has the same identity. Only others are counted, so that a
// second record of one id meets the unique index.
const StaticSql insert_sql{
    "INSERT INTO umavez_records (identity, rank, tenant_id, operation, key, target, fingerprint, "
    "fingerprint_version, status, final, mode, epoch, execution, attempts, takeovers, retry_at, "
    "created_at, updated_at, completed_at, processing_expires_at, expires_at, response_status, "
    "response_digest, response_omitted, entity_type, entity_id, response_headers, response_body, "
    "checkpoint) VALUES (?28, coalesce((SELECT max(rank) + 1 FROM umavez_records WHERE "
    "identity = ?28 AND NOT (tenant_id = ?1 AND operation = ?2 AND key = ?3)), 0), ?1, ?2, ?3, "
    "?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
    "?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)"
};
const StaticSql find_sql{"SELECT " UMAVEZ_RECORD_COLUMNS
                         " FROM umavez_records WHERE identity = ?28 AND tenant_id = ?1 AND "
                         "operation = ?2 AND key = ?3"};
// What a condition asks about.
const StaticSql head_sql{
    "SELECT id, epoch, execution, status, processing_expires_at FROM umavez_records "
    "WHERE identity = ?28 AND tenant_id = ?1 AND operation = ?2 AND key = ?3"
};
const StaticSql update_sql{
    "UPDATE umavez_records SET target = ?4, fingerprint = ?5, fingerprint_version = ?6, "
    "status = ?7, final = ?8, mode = ?9, epoch = ?10, execution = ?11, attempts = ?12, "
    "takeovers = ?13, retry_at = ?14, created_at = ?15, updated_at = ?16, completed_at = ?17, "
    "processing_expires_at = ?18, expires_at = ?19, response_status = ?20, "
    "response_digest = ?21, response_omitted = ?22, entity_type = ?23, entity_id = ?24, "
    "response_headers = ?25, response_body = ?26, checkpoint = ?27 WHERE id = ?1"
};
const StaticSql heartbeat_sql{
    "UPDATE umavez_records SET processing_expires_at = ?2, expires_at = ?3 WHERE id = ?1"
};
const StaticSql spent_sql{
    "SELECT id, status, processing_expires_at, expires_at, mode, " UMAVEZ_RECORD_ID_COLUMNS
    " FROM umavez_records WHERE expires_at IS NOT NULL AND expires_at <= ?1 "
    "ORDER BY expires_at"
};
const StaticSql delete_sql{"DELETE FROM umavez_records WHERE id = ?1"};

struct FoundRow {
    std::int64_t row = 0;
    Record record;
};

void bind_record_id(Statement& statement, const RecordId& id)
{
    statement.bind(1, id.tenant_id.text());
    statement.bind(2, id.operation.text());
    statement.bind(3, id.key.text());
    statement.bind(28, identity_of(id));
}

Result<std::optional<FoundRow>> find_by(
    const StaticSql& sql,
    Result<Record> (*read)(const Statement&),
    SqliteTransaction& transaction,
    const RecordId& id
)
{
    const auto statement = transaction.use(sql);
    if (!statement) return std::unexpected(statement.error());
    bind_record_id(**statement, id);
    const auto has_row = transaction.step(**statement);
    if (!has_row) return std::unexpected(has_row.error());
    if (!*has_row) return std::nullopt;
    auto record = read(**statement);
    if (!record) return std::unexpected(std::move(record.error()));
    return FoundRow{(*statement)->integer(0), std::move(*record)};
}

Result<std::optional<FoundRow>> find_row(SqliteTransaction& transaction, const RecordId& id)
{
    return find_by(find_sql, read_record, transaction, id);
}

// Enough of a record for matches() and to_record(): most completions need no more of it.
Result<std::optional<FoundRow>> find_head(SqliteTransaction& transaction, const RecordId& id)
{
    return find_by(head_sql, read_record_head, transaction, id);
}

// The record to be written, without its response: that is bound from the draft, which must survive
// for the case that this transaction is lost and the member run again.
Record to_record_without_response(Draft& draft, const Record* previous, Instant now)
{
    std::optional<StoredResponse> response = std::exchange(draft.response, std::nullopt);
    Record record = to_record(std::as_const(draft), previous, now);
    draft.response = std::move(response);
    return record;
}

Result<void> write_audit(
    SqliteTransaction& transaction,
    const AuditSubject& subject,
    const FencingToken& token,
    const std::optional<AuditNote>& audit
)
{
    if (!audit) return {};
    return insert_audit(transaction, subject, transaction.now(), token, *audit);
}

}  // namespace

Result<Found> insert_or_get_record(SqliteTransaction& transaction, Insertion& insertion)
{
    const Instant now = transaction.now();
    // Found or not, it stays so until the insert: nobody else writes to this file.
    auto there = find_row(transaction, insertion.id);
    if (!there) return std::unexpected(std::move(there.error()));
    if (*there) return Found{.inserted = false, .record = std::move((*there)->record), .now = now};

    auto record = insert_record(transaction, insertion);
    if (!record) return std::unexpected(std::move(record.error()));
    record->response = insertion.draft.response;
    return Found{.inserted = true, .record = *std::move(record), .now = now};
}

Result<Record> insert_record(SqliteTransaction& transaction, Insertion& insertion)
{
    if (auto within = check_limits(insertion.draft); !within)
        return std::unexpected(within.error());
    Record record = to_record_without_response(insertion.draft, nullptr, transaction.now());
    const auto statement = transaction.use(insert_sql);
    if (!statement) return std::unexpected(statement.error());
    std::string headers;
    bind_record_id(**statement, insertion.id);
    bind_record(**statement, record, insertion.draft.response, headers);
    const auto stepped = transaction.step(**statement);
    if (!stepped) return std::unexpected(stepped.error());
    const AuditSubject subject{insertion.id, transaction.connection().last_row()};
    auto audited = write_audit(transaction, subject, record.token, insertion.audit);
    if (!audited) return std::unexpected(audited.error());
    return record;
}

Result<Replaced> replace_record(SqliteTransaction& transaction, Replacement& replacement)
{
    if (auto within = check_limits(replacement.next); !within)
        return std::unexpected(within.error());
    const Instant now = transaction.now();
    const auto head = find_head(transaction, replacement.id);
    if (!head) return std::unexpected(head.error());
    if (!*head) return Replaced{.done = false, .record = std::nullopt, .now = now};
    if (!matches((*head)->record, replacement.expected, now)) {
        auto there = find_record(transaction, replacement.id);
        if (!there) return std::unexpected(std::move(there.error()));
        return Replaced{.done = false, .record = std::move(*there), .now = now};
    }
    Record record = to_record_without_response(replacement.next, &(*head)->record, now);
    const auto statement = transaction.use(update_sql);
    if (!statement) return std::unexpected(statement.error());
    std::string headers;
    (*statement)->bind(1, (*head)->row);
    bind_record(**statement, record, replacement.next.response, headers);
    const auto stepped = transaction.step(**statement);
    if (!stepped) return std::unexpected(stepped.error());
    const AuditSubject subject{replacement.id, (*head)->row};
    auto audited = write_audit(transaction, subject, record.token, replacement.audit);
    if (!audited) return std::unexpected(audited.error());
    return Replaced{.done = true, .record = std::move(record), .now = now};
}

Result<Replaced> heartbeat_record(SqliteTransaction& transaction, const Heartbeat& heartbeat)
{
    const Instant now = transaction.now();
    auto there = find_row(transaction, heartbeat.id);
    const bool is_corrupt = !there && there.error().code == Errc::corrupt_record;
    if (!there && !is_corrupt) return std::unexpected(std::move(there.error()));
    if (is_corrupt || !*there) return Replaced{.done = false, .record = std::nullopt, .now = now};
    Record& record = (*there)->record;
    if (!matches(record, owner_expects(heartbeat.token), now)) {
        return Replaced{.done = false, .record = std::move(record), .now = now};
    }
    record.processing_expires_at = now + heartbeat.lease;
    if (heartbeat.expires_in) record.expires_at = now + *heartbeat.expires_in;
    const auto statement = transaction.use(heartbeat_sql);
    if (!statement) return std::unexpected(statement.error());
    (*statement)->bind(1, (*there)->row);
    (*statement)->bind(2, to_micros(*record.processing_expires_at));
    if (record.expires_at) (*statement)->bind(3, to_micros(*record.expires_at));
    const auto stepped = transaction.step(**statement);
    if (!stepped) return std::unexpected(stepped.error());
    return Replaced{.done = true, .record = std::move(record), .now = now};
}

Result<std::optional<Record>> find_record(SqliteTransaction& transaction, const RecordId& id)
{
    auto there = find_row(transaction, id);
    if (!there) return std::unexpected(std::move(there.error()));
    if (!*there) return std::nullopt;
    return std::move((*there)->record);
}

namespace {

struct SpentRow {
    std::int64_t row = 0;
    RecordId id;
};

// Chosen and deleted in one transaction of the only writer: nothing can be claimed in between.
Result<std::vector<SpentRow>> find_spent(
    SqliteTransaction& transaction, std::size_t count_max, std::optional<std::string>& unreadable
)
{
    const auto statement = transaction.use(spent_sql);
    if (!statement) return std::unexpected(statement.error());
    (*statement)->bind(1, to_micros(transaction.now()));
    std::vector<SpentRow> spent;
    while (spent.size() < count_max) {
        const auto has_row = transaction.step(**statement);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) break;
        Record record;
        const std::string_view status = (*statement)->text(1);
        for (const Status known :
             {Status::processing, Status::succeeded, Status::failed, Status::in_doubt}) {
            if (to_text(known) == status) record.status = known;
        }
        if (!(*statement)->is_null(2)) {
            record.processing_expires_at = from_micros((*statement)->integer(2));
        }
        record.expires_at = from_micros((*statement)->integer(3));
        if ((*statement)->text(4) == to_text(Mode::reconcile)) record.mode = Mode::reconcile;
        if (!is_spent(record, transaction.now())) continue;
        auto id = read_record_id(**statement, 5);
        if (!id) {
            if (!unreadable) unreadable = std::move(id.error().detail);
            continue;
        }
        spent.push_back({(*statement)->integer(0), std::move(*id)});
    }
    return spent;
}

}  // namespace

Result<Swept> sweep_records(SqliteTransaction& transaction, const SweepStepLimits& step)
{
    const std::size_t count_max = step.count_max;
    const bool is_polite = count_max <= limits::sweep_polite_max;
    Swept swept;
    auto spent = find_spent(transaction, count_max, swept.unreadable);
    if (!spent) return std::unexpected(std::move(spent.error()));
    std::size_t entries_moved = 0;
    bool gives_way = false;
    for (SpentRow& one : *spent) {
        const auto statement = transaction.use(delete_sql);
        if (!statement) return std::unexpected(statement.error());
        (*statement)->bind(1, one.row);
        if (const auto stepped = transaction.step(**statement); !stepped) {
            return std::unexpected(stepped.error());
        }
        const auto orphaned = orphan_audit(transaction, one.row, one.id);
        if (!orphaned) return std::unexpected(orphaned.error());
        swept.ids.push_back(std::move(one.id));
        // A key that was replayed for days has a long story; nobody should wait for many of those.
        entries_moved += *orphaned;
        if (entries_moved >= limits::sweep_entries_max) break;
        gives_way = is_polite && step.others_wait();
        if (gives_way) break;
    }
    const bool is_full = spent->size() == count_max || swept.ids.size() < spent->size();
    if (!swept.ids.empty()) {
        auto noted = insert_sweep_audit(transaction, swept.ids.size());
        if (!noted) return std::unexpected(noted.error());
    }
    const Instant oldest_kept = transaction.now() - step.audit_retention;
    const std::size_t entries_max = gives_way ? swept.ids.size() : count_max;
    auto entries = delete_old_audit(transaction, oldest_kept, entries_max);
    if (!entries) return std::unexpected(entries.error());
    swept.audit_entries = *entries;
    swept.has_more = is_full || *entries == entries_max;
    return swept;
}

}  // namespace umavez
