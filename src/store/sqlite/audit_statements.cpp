#include "store/sqlite/audit_statements.hpp"

#include "base/assert.hpp"
#include "base/digest.hpp"
#include "base/limits.hpp"
#include "store/sqlite/record_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace umavez {
namespace {

const StaticSql insert_sql{
    "INSERT INTO umavez_audit (at, identity, tenant_id, operation, key, event, epoch, execution, "
    "detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
};
// Ids follow time closely enough: only the first ones are looked at.
const StaticSql delete_sql{
    "DELETE FROM umavez_audit WHERE id IN (SELECT id FROM "
    "(SELECT id, at FROM umavez_audit ORDER BY id LIMIT ?2) WHERE at <= ?1)"
};
const StaticSql timeline_sql{
    "SELECT at, event, epoch, execution, detail FROM umavez_audit WHERE identity = ?1 AND "
    "tenant_id = ?2 AND operation = ?3 AND key = ?4 ORDER BY id DESC LIMIT ?5"
};

std::int64_t identity_of(const RecordId& id) noexcept
{
    return std::bit_cast<std::int64_t>(
        stable_hash({id.tenant_id.text(), id.operation.text(), id.key.text()})
    );
}

}  // namespace

Result<void> insert_audit(
    SqliteTransaction& transaction,
    const RecordId& id,
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
    insert.bind(2, identity_of(id));
    insert.bind(3, id.tenant_id.text());
    insert.bind(4, id.operation.text());
    insert.bind(5, id.key.text());
    insert.bind(6, to_text(note.event));
    insert.bind(7, token.epoch);
    if (token.execution != Execution{}) insert.bind_blob(8, as_bytes(token.execution));
    insert.bind(9, note.detail);
    const auto stepped = transaction.step(insert);
    if (!stepped) return std::unexpected(stepped.error());
    return {};
}

Result<void> insert_sweep_audit(SqliteTransaction& transaction, std::size_t records)
{
    const auto tenant_id = TenantId::parse("umavez");
    const auto operation = Operation::parse("umavez.sweep");
    const auto key = Key::parse("sweep");
    UMAVEZ_ASSERT(tenant_id && operation && key);
    const AuditNote note{AuditEvent::expired, fmt::format("{} records", records)};
    return insert_audit(transaction, {*tenant_id, *operation, *key}, transaction.now(), {}, note);
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
    select.bind(1, identity_of(id));
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
    std::ranges::reverse(entries);
    return entries;
}

}  // namespace umavez
