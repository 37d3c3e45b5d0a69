#include "store/postgres/audit_statements.hpp"

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "store/identity.hpp"
#include "store/postgres/record_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace umavez::pg {
namespace {

const StaticSql insert_sql{
    "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, execution, "
    "detail) VALUES (coalesce($1, (SELECT id FROM umavez_records WHERE tenant_id = $4 AND "
    "operation = $5 AND key = $6), $2), $3, $4, $5, $6, $7, $8, $9, $10)"
};
// Ids follow time closely enough: only the first ones are looked at. Some of them may be young, because
// every connection has ids in reserve; they are passed over. Only what goes is locked: a lock is a write, and
// a sweep makes a hundred small steps a second.
const StaticSql delete_sql{
    "DELETE FROM umavez_audit WHERE id IN (SELECT id FROM umavez_audit WHERE id IN "
    "(SELECT id FROM (SELECT id, at FROM umavez_audit ORDER BY id LIMIT $2 + 500) AS oldest "
    "WHERE at <= $1 ORDER BY id LIMIT $2) FOR UPDATE SKIP LOCKED)"
};
const StaticSql delete_swept_sql{
    "DELETE FROM umavez_swept WHERE ctid IN (SELECT ctid FROM umavez_swept WHERE swept_at <= $1 "
    "ORDER BY swept_at LIMIT $2 FOR UPDATE SKIP LOCKED)"
};
const StaticSql timeline_sql{
    "SELECT at, event, epoch, execution, detail FROM umavez_audit WHERE subject = ANY (ARRAY("
    "SELECT id FROM umavez_records WHERE tenant_id = $1 AND operation = $2 AND key = $3) || "
    "ARRAY(SELECT subject FROM umavez_swept WHERE identity = $4) || $5) AND "
    "tenant_id = $1 AND operation = $2 AND key = $3 ORDER BY id DESC LIMIT $6"
};

}  // namespace

std::int64_t subject_without_record(const RecordId& id)
{
    return identity_of(id) | std::numeric_limits<std::int64_t>::min();
}

Result<void> insert_audit(
    PostgresTransaction& transaction,
    const RecordId& id,
    std::optional<std::int64_t> row,
    const FencingToken& token,
    const AuditNote& note
)
{
    if (note.detail.size() > limits::audit_detail_bytes_max) {
        return fail(Errc::limit_exceeded, "an audit detail is longer than audit_detail_bytes_max");
    }
    const std::string detail = storable(note.detail);
    Parameters parameters;
    parameters.add(row);
    parameters.add(subject_without_record(id));
    parameters.add(to_micros(transaction.now()));
    add_record_id(parameters, id);
    parameters.add_typed_text(to_text(note.event));
    parameters.add(token.epoch);
    if (token.execution == Execution{}) {
        parameters.add_null(type::bytea);
    } else {
        parameters.add_bytes(as_bytes(token.execution));
    }
    parameters.add_typed_text(detail);
    return transaction.defer(insert_sql, parameters);
}

Result<void> insert_sweep_audit(PostgresTransaction& transaction, std::size_t records)
{
    const auto tenant_id = TenantId::parse("umavez");
    const auto operation = Operation::parse("umavez.sweep");
    const auto key = Key::parse("sweep");
    UMAVEZ_ASSERT(tenant_id && operation && key);
    const AuditNote note{AuditEvent::expired, fmt::format("{} records", records)};
    return insert_audit(transaction, {*tenant_id, *operation, *key}, std::nullopt, {}, note);
}

Result<std::size_t> delete_old_audit(
    PostgresTransaction& transaction, Instant until, std::size_t count_max
)
{
    const auto parameters = [&] {
        Parameters both;
        both.add(to_micros(until));
        both.add(static_cast<std::int64_t>(count_max));
        return both;
    };
    Parameters of_swept = parameters();
    if (auto deferred = transaction.defer(delete_swept_sql, of_swept); !deferred) {
        return std::unexpected(deferred.error());
    }
    Parameters of_audit = parameters();
    const auto deleted = transaction.run(delete_sql, of_audit);
    if (!deleted) return std::unexpected(deleted.error());
    return static_cast<std::size_t>(deleted->changed());
}

Result<std::vector<AuditEntry>> read_timeline(
    PostgresTransaction& transaction, const RecordId& id, std::size_t count_max
)
{
    Parameters parameters;
    add_record_id(parameters, id);
    parameters.add(identity_of(id));
    parameters.add(subject_without_record(id));
    parameters.add(static_cast<std::int64_t>(count_max));
    const auto rows = transaction.run(timeline_sql, parameters);
    if (!rows) return std::unexpected(rows.error());
    std::vector<AuditEntry> entries;
    for (std::size_t row = 0; row < rows->rows(); ++row) {
        AuditEntry entry{.id = id, .at = from_micros(rows->integer(row, 0))};
        const auto event = parse_audit_event(rows->bytes(row, 1));
        const std::string_view execution = rows->bytes(row, 3);
        if (!event || (!execution.empty() && execution.size() != entry.token.execution.size())) {
            return fail_corrupt("a row of umavez_audit");
        }
        entry.event = *event;
        entry.token.epoch = rows->integer(row, 2);
        if (!execution.empty()) {
            std::memcpy(entry.token.execution.data(), execution.data(), execution.size());
        }
        entry.detail = rows->bytes(row, 4);
        entries.push_back(std::move(entry));
    }
    // A note is written after what happened later and was quicker into its batch.
    std::ranges::reverse(entries);
    std::ranges::stable_sort(entries, {}, &AuditEntry::at);
    return entries;
}

}  // namespace umavez::pg
