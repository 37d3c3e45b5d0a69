#include "messaging/sweep.hpp"

#include <string>

namespace umavez::messaging {
namespace {

// A delivery that an operator drives again meanwhile keeps its event.
Result<void> remove_event(Transaction& transaction, std::int64_t id)
{
    const auto deliveries = transaction.execute(
        "DELETE FROM umavez_deliveries WHERE outbox_id = $1 AND state NOT IN ('pending', 'dead')",
        {id}
    );
    if (!deliveries) return std::unexpected(deliveries.error());
    const auto event = transaction.execute(
        "DELETE FROM umavez_outbox WHERE id = $1 "
        "AND NOT EXISTS (SELECT 1 FROM umavez_deliveries WHERE outbox_id = $1)",
        {id}
    );
    if (!event) return std::unexpected(event.error());
    return {};
}

}  // namespace

Result<std::size_t> sweep_outbox(Transaction& transaction, Duration retention, std::size_t limit)
{
    const bool is_shared = transaction.dialect() == Dialect::postgres;
    const std::int64_t before = to_micros(transaction.now() - retention);
    const auto limited = static_cast<std::int64_t>(limit);
    const auto rows = transaction.query(
        std::string{
            "SELECT event.id FROM umavez_outbox AS event WHERE event.dispatched_at < $1 "
            "AND event.dispatched_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM umavez_deliveries "
            "AS item WHERE item.outbox_id = event.id AND item.state IN ('pending', 'dead')) "
            "ORDER BY event.dispatched_at LIMIT $2"
        } + (is_shared ? " FOR UPDATE SKIP LOCKED" : ""),
        {before, limited}
    );
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) {
        const auto removed = remove_event(transaction, row.integer(0));
        if (!removed) return std::unexpected(removed.error());
    }
    const auto destinations = transaction.execute(
        "DELETE FROM umavez_destinations WHERE id IN (SELECT destination.id FROM "
        "umavez_destinations AS destination WHERE destination.removed_at < $1 AND NOT EXISTS "
        "(SELECT 1 FROM umavez_deliveries AS item WHERE item.destination_id = destination.id) "
        "LIMIT $2)",
        {before, limited}
    );
    if (!destinations) return std::unexpected(destinations.error());
    return rows->size();
}

}  // namespace umavez::messaging
