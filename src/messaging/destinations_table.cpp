#include "messaging/destinations_table.hpp"

#include <string_view>

namespace umavez::messaging {
namespace {

constexpr const char* select =
    "SELECT id, url, types, secrets, created_at, removed_at FROM umavez_destinations ";

// " fatura.paga fatura.criada ": each between spaces, so that a whole word can be looked for in SQL.
std::string to_column(const std::vector<std::string>& types)
{
    std::string column;
    for (const std::string& type : types) column += (column.empty() ? " " : "") + type + " ";
    return column;
}

std::vector<std::string> from_column(std::string_view column)
{
    std::vector<std::string> types;
    while (!column.empty()) {
        const std::size_t end = std::min(column.find(' '), column.size());
        if (end > 0) types.emplace_back(column.substr(0, end));
        column.remove_prefix(std::min(column.size(), end + 1));
    }
    return types;
}

Destination to_destination(const Row& row)
{
    Destination destination{
        .id = row.integer(0),
        .url = row.text(1),
        .types = from_column(row.text(2)),
        .secrets = row.text(3),
        .created_at = from_micros(row.integer(4)),
        .removed_at = std::nullopt,
    };
    if (!row.is_null(5)) destination.removed_at = from_micros(row.integer(5));
    return destination;
}

Result<void> done(const Result<std::int64_t>& changed)
{
    if (!changed) return std::unexpected(changed.error());
    return {};
}

}  // namespace

Result<std::optional<Destination>> insert_destination(
    Transaction& transaction, const TenantId& tenant_id, Destination destination
)
{
    const auto count = transaction.query(
        "SELECT count(*) FROM umavez_destinations WHERE tenant_id = $1 AND removed_at IS NULL",
        {tenant_id.text()}
    );
    if (!count) return std::unexpected(count.error());
    if (count->front().integer(0) >= destinations_max) return std::nullopt;
    destination.created_at = transaction.now();
    const auto id = transaction.insert(
        "INSERT INTO umavez_destinations (tenant_id, url, types, secrets, created_at) "
        "VALUES ($1, $2, $3, $4, $5)",
        {tenant_id.text(),
         destination.url,
         to_column(destination.types),
         destination.secrets,
         to_micros(destination.created_at)}
    );
    if (!id) return std::unexpected(id.error());
    destination.id = id->value();
    return destination;
}

Result<std::optional<Destination>> find_destination(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    const auto rows = transaction.query(
        std::string{select} + "WHERE id = $1 AND tenant_id = $2", {id, tenant_id.text()}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    return to_destination(rows->front());
}

Result<std::vector<Destination>> list_destinations(
    Transaction& transaction, const TenantId& tenant_id
)
{
    const auto rows = transaction.query(
        std::string{select} + "WHERE tenant_id = $1 AND removed_at IS NULL ORDER BY id",
        {tenant_id.text()}
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<Destination> destinations;
    destinations.reserve(rows->size());
    for (const Row& row : *rows) destinations.push_back(to_destination(row));
    return destinations;
}

Result<void> replace_secrets(
    Transaction& transaction, std::int64_t id, const std::string& old, const std::string& secrets
)
{
    const auto replaced = transaction.execute(
        "UPDATE umavez_destinations SET secrets = $3 WHERE id = $1 AND secrets = $2",
        {id, old, secrets}
    );
    if (!replaced) return std::unexpected(replaced.error());
    // Somebody rotated them meanwhile: his must not be lost.
    if (*replaced == 0) {
        return fail(
            Errc::store_unavailable, "the destination changed inside the transaction; try again"
        );
    }
    return {};
}

Result<void> pause_destination(Transaction& transaction, std::int64_t id, Duration pause)
{
    const auto paused = transaction.execute(
        "UPDATE umavez_destinations SET failures = failures + 1, paused_until = $2 WHERE id = $1",
        {id, to_micros(transaction.now() + pause)}
    );
    if (!paused) return std::unexpected(paused.error());
    return {};
}

Result<void> resume_destination(Transaction& transaction, std::int64_t id)
{
    const auto resumed = transaction.execute(
        "UPDATE umavez_destinations SET failures = 0, paused_until = 0 WHERE id = $1", {id}
    );
    if (!resumed) return std::unexpected(resumed.error());
    return {};
}

Result<void> remove_destination(Transaction& transaction, std::int64_t id)
{
    const std::int64_t now = to_micros(transaction.now());
    const auto removed = transaction.execute(
        "UPDATE umavez_destinations SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL",
        {id, now}
    );
    if (!removed) return std::unexpected(removed.error());
    if (*removed == 0) return {};
    // Without another run: one that is under way may still end and say what became of it.
    return done(transaction.execute(
        "UPDATE umavez_deliveries SET state = 'cancelled', changed_at = $2 "
        "WHERE destination_id = $1 AND state IN ('pending', 'dead')",
        {id, now}
    ));
}

}  // namespace umavez::messaging
