#include "store/sqlite/audit_statements.hpp"

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "store/identity.hpp"
#include "store/sqlite/record_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace umavez {
namespace {

// The record's id may be known already; one that has none is looked for.
const StaticSql insert_sql{
    "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, execution, "
    "detail) VALUES (coalesce(?9, (SELECT id FROM umavez_records WHERE identity = ?11 AND "
    "tenant_id = ?3 AND operation = ?4 AND key = ?5), ?10), ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?2)"
};
// Ids follow time closely enough: only the first ones are looked at.
const StaticSql delete_sql{
    "DELETE FROM umavez_audit WHERE id IN (SELECT id FROM "
    "(SELECT id, at FROM umavez_audit ORDER BY id LIMIT ?2) WHERE at <= ?1)"
};
const StaticSql orphan_sql{
    "UPDATE umavez_audit SET subject = ?2 WHERE id IN "
    "(SELECT id FROM umavez_audit WHERE subject = ?1 ORDER BY id DESC LIMIT ?3)"
};
const StaticSql timeline_sql{
    "SELECT at, event, epoch, execution, detail FROM umavez_audit WHERE subject IN (?1, "
    "(SELECT id FROM umavez_records WHERE identity = ?6 AND tenant_id = ?2 AND operation = ?3 AND "
    "key = ?4)) AND "
    "tenant_id = ?2 AND operation = ?3 AND key = ?4 ORDER BY id DESC LIMIT ?5"
};

// Negative, so that it is no record's id.
std::int64_t subject_without_record(std::int64_t identity) noexcept
{
    return identity | std::numeric_limits<std::int64_t>::min();
}

}  // namespace

Result<void> insert_audit(
    SqliteTransaction& transaction,
    const AuditSubject& subject,
    Instant at,
    const FencingToken& token,
    const AuditNote& note
)
{
    if (note.detail.size() > limits::audit_detail_bytes_max) {
        return fail(Errc::limit_exceeded, "an audit detail is longer than audit_detail_bytes_max");
    }
    const auto statement = transaction.use(insert_sql);
    if (!statement) return std::unexpected(statement.error());
    Statement& insert = **statement;
    insert.bind(1, to_micros(at));
    insert.bind(2, note.detail);
    insert.bind(3, subject.id.tenant_id.text());
    insert.bind(4, subject.id.operation.text());
    insert.bind(5, subject.id.key.text());
    insert.bind(6, to_text(note.event));
    insert.bind(7, token.epoch);
    if (token.execution != Execution{}) insert.bind_blob(8, as_bytes(token.execution));
    if (subject.row) {
        insert.bind(9, *subject.row);
    } else {
        const std::int64_t identity = identity_of(subject.id);
        insert.bind(10, subject_without_record(identity));
        insert.bind(11, identity);
    }
    const auto stepped = transaction.step(insert);
    if (!stepped) return std::unexpected(stepped.error());
    return {};
}

Result<std::size_t> orphan_audit(
    SqliteTransaction& transaction, std::int64_t row, const RecordId& id
)
{
    const auto statement = transaction.use(orphan_sql);
    if (!statement) return std::unexpected(statement.error());
    (*statement)->bind(1, row);
    (*statement)->bind(2, subject_without_record(identity_of(id)));
    (*statement)->bind(3, static_cast<std::int64_t>(limits::timeline_kept_max));
    const std::int64_t before = transaction.connection().changes_total();
    const auto stepped = transaction.step(**statement);
    if (!stepped) return std::unexpected(stepped.error());
    return static_cast<std::size_t>(transaction.connection().changes_total() - before);
}

Result<void> insert_sweep_audit(SqliteTransaction& transaction, std::size_t records)
{
    const auto tenant_id = TenantId::parse("umavez");
    const auto operation = Operation::parse("umavez.sweep");
    const auto key = Key::parse("sweep");
    UMAVEZ_ASSERT(tenant_id && operation && key);
    const AuditNote note{AuditEvent::expired, fmt::format("{} records", records)};
    const RecordId id{*tenant_id, *operation, *key};
    return insert_audit(transaction, {id}, transaction.now(), {}, note);
}

Result<std::size_t> delete_old_audit(
    SqliteTransaction& transaction, Instant until, std::size_t count_max
)
{
    const auto statement = transaction.use(delete_sql);
    if (!statement) return std::unexpected(statement.error());
    (*statement)->bind(1, to_micros(until));
    (*statement)->bind(2, static_cast<std::int64_t>(count_max));
    const std::int64_t before = transaction.connection().changes_total();
    const auto stepped = transaction.step(**statement);
    if (!stepped) return std::unexpected(stepped.error());
    return static_cast<std::size_t>(transaction.connection().changes_total() - before);
}

Result<std::vector<AuditEntry>> read_timeline(
    SqliteTransaction& transaction, const RecordId& id, std::size_t count_max
)
{
    const auto statement = transaction.use(timeline_sql);
    if (!statement) return std::unexpected(statement.error());
    Statement& select = **statement;
    const std::int64_t identity = identity_of(id);
    select.bind(1, subject_without_record(identity));
    select.bind(6, identity);
    select.bind(2, id.tenant_id.text());
    select.bind(3, id.operation.text());
    select.bind(4, id.key.text());
    select.bind(5, static_cast<std::int64_t>(count_max));
    std::vector<AuditEntry> entries;
    while (true) {
        const auto has_row = transaction.step(select);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) break;
        const auto event = parse_audit_event(select.text(1));
        const std::string_view execution = select.blob(3);
        AuditEntry entry{.id = id, .at = from_micros(select.integer(0))};
        if (!event || (!execution.empty() && execution.size() != entry.token.execution.size())) {
            return fail_corrupt("a row of umavez_audit");
        }
        entry.event = *event;
        entry.token.epoch = select.integer(2);
        // The null pointer of an absent execution may not be copied from, not even nothing.
        if (!execution.empty()) {
            std::memcpy(entry.token.execution.data(), execution.data(), execution.size());
        }
        entry.detail = select.text(4);
        entries.push_back(std::move(entry));
    }
    // A note is written after what happened later and was quicker into its batch.
    std::ranges::reverse(entries);
    std::ranges::stable_sort(entries, {}, &AuditEntry::at);
    return entries;
}

}  // namespace umavez
