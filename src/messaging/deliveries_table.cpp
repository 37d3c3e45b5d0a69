#include "messaging/deliveries_table.hpp"

namespace umavez::messaging {
namespace {

constexpr const char* columns =
    "SELECT item.id, item.tenant_id, item.state, item.run, item.attempts, item.due_at, "
    "item.last_error, item.created_at, item.changed_at, event.message_id, event.aggregate, "
    "event.type, event.created_at, item.destination_id, destination.url, destination.removed_at, "
    "destination.failures";

constexpr const char* from =
    " FROM umavez_deliveries AS item JOIN umavez_outbox AS event ON event.id = item.outbox_id "
    "JOIN umavez_destinations AS destination ON destination.id = item.destination_id ";

constexpr std::size_t column_count = 17;

Delivery to_delivery(const Row& row)
{
    Delivery delivery{
        .id = row.integer(0),
        .tenant = row.text(1),
        .state = row.text(2),
        .run = row.integer(3),
        .attempts = row.integer(4),
        .due_at = from_micros(row.integer(5)),
        .last_error = std::nullopt,
        .created_at = from_micros(row.integer(7)),
        .changed_at = from_micros(row.integer(8)),
        .message_id = row.text(9),
        .aggregate = row.text(10),
        .type = row.text(11),
        .happened_at = from_micros(row.integer(12)),
        .destination_id = row.integer(13),
        .url = row.text(14),
        .is_removed = !row.is_null(15),
        .destination_failures = row.integer(16),
    };
    if (!row.is_null(6)) delivery.last_error = row.text(6);
    return delivery;
}

}  // namespace

Result<std::optional<Delivery>> find_delivery(Transaction& transaction, std::int64_t id)
{
    const auto rows = transaction.query(std::string{columns} + from + "WHERE item.id = $1", {id});
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    return to_delivery(rows->front());
}

Result<std::vector<Delivery>> list_deliveries(
    Transaction& transaction, const DeliveriesQuery& query
)
{
    Values values{query.limit + 1};
    std::string conditions;
    const auto ask = [&](const char* condition, Value value) {
        values.push_back(std::move(value));
        conditions += conditions.empty() ? "WHERE " : " AND ";
        conditions += condition + std::to_string(values.size());
    };
    if (query.tenant_id) ask("item.tenant_id = $", query.tenant_id->text());
    if (query.destination_id) ask("item.destination_id = $", *query.destination_id);
    if (query.state) ask("item.state = $", *query.state);
    if (query.before) ask("item.id < $", *query.before);
    const auto rows = transaction.query(
        std::string{columns} + from + conditions + " ORDER BY item.id DESC LIMIT $1", values
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<Delivery> deliveries;
    deliveries.reserve(rows->size());
    for (const Row& row : *rows) deliveries.push_back(to_delivery(row));
    return deliveries;
}

Result<std::optional<Parcel>> load_parcel(Transaction& transaction, std::int64_t id)
{
    const auto rows = transaction.query(
        std::string{columns} + ", destination.secrets, event.data" + from + "WHERE item.id = $1",
        {id}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    const Row& row = rows->front();
    return Parcel{to_delivery(row), row.text(column_count), row.text(column_count + 1)};
}

Result<std::vector<work::Item>> drive_dead_again(
    Transaction& transaction, std::int64_t destination_id, std::int64_t limit
)
{
    const auto rows = transaction.query(
        "SELECT id, run FROM umavez_deliveries WHERE destination_id = $1 AND state = 'dead' "
        "ORDER BY id LIMIT $2",
        {destination_id, limit}
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<work::Item> items;
    for (const Row& row : *rows) {
        const auto driven = work::drive_again(transaction, deliveries_table, row.integer(0));
        if (!driven) return std::unexpected(driven.error());
        items.push_back({row.integer(0), row.integer(1) + 1});
    }
    return items;
}

}  // namespace umavez::messaging
