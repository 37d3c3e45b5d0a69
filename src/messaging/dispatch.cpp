#include "messaging/dispatch.hpp"

#include "messaging/broker_use.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::messaging {
namespace {

// An event has the time at which its transaction began, and may commit so much later: after a destination
// was registered that it is to reach.
constexpr Duration longest_transaction = std::chrono::seconds{10};

}  // namespace

Result<bool> try_dispatching(Transaction& transaction)
{
    if (transaction.dialect() == Dialect::sqlite) return true;  // there is one writer
    // Any number, as long as it is always the same.
    const auto rows = transaction.query("SELECT pg_try_advisory_xact_lock(128533904713083)");
    if (!rows) return std::unexpected(rows.error());
    return rows->front().integer(0) != 0;
}

Result<DispatchBatch> take_undispatched(Transaction& transaction, std::size_t limit)
{
    DispatchBatch batch{.dispatched_at = transaction.now()};
    const bool is_shared = transaction.dialect() == Dialect::postgres;
    // One statement has one view of the table: whoever sees an event of an aggregate sees all earlier ones.
    const auto rows = transaction.query(
        fmt::format(
            "WITH batch AS MATERIALIZED (SELECT id FROM umavez_outbox WHERE dispatched_at IS NULL "
            "ORDER BY id LIMIT $2{}) UPDATE umavez_outbox SET dispatched_at = $1 FROM batch "
            "WHERE umavez_outbox.id = batch.id RETURNING umavez_outbox.id",
            is_shared ? " FOR UPDATE" : ""
        ),
        {to_micros(batch.dispatched_at), static_cast<std::int64_t>(limit)}
    );
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) {
        const std::int64_t id = row.integer(0);
        batch.first_id = batch.events == 0 ? id : std::min(batch.first_id, id);
        batch.last_id = std::max(batch.last_id, id);
        ++batch.events;
    }
    return batch;
}

Result<void> make_deliveries(Transaction& transaction, const DispatchBatch& batch)
{
    // Marked at the same instant by somebody else: those have their deliveries, which conflict.
    const auto made = transaction.execute(
        "INSERT INTO umavez_deliveries (tenant_id, outbox_id, destination_id, aggregate, state, "
        "run, attempts, due_at, created_at, changed_at) "
        "SELECT event.tenant_id, event.id, destination.id, event.aggregate, 'pending', 0, 0, "
        "event.dispatched_at, event.dispatched_at, event.dispatched_at "
        "FROM umavez_outbox AS event JOIN umavez_destinations AS destination "
        "ON destination.tenant_id = event.tenant_id "
        "WHERE event.dispatched_at = $1 AND event.id BETWEEN $2 AND $3 "
        "AND destination.removed_at IS NULL AND destination.created_at <= event.created_at + $4 "
        "AND (destination.types = '' OR "
        "replace(destination.types, ' ' || event.type || ' ', '') <> destination.types) "
        "ORDER BY event.id, destination.id ON CONFLICT DO NOTHING",
        {to_micros(batch.dispatched_at), batch.first_id, batch.last_id, longest_transaction.count()}
    );
    if (!made) return std::unexpected(made.error());
    return {};
}

Result<void> make_messages(Transaction& transaction, const DispatchBatch& batch)
{
    const auto made = transaction.execute(
        "INSERT INTO umavez_messages (tenant_id, message_id, queue, aggregate, type, data, state, "
        "due_at, created_at, changed_at) SELECT event.tenant_id, event.message_id, $4, "
        "event.aggregate, event.type, event.data, 'pending', event.dispatched_at, "
        "event.created_at, event.dispatched_at FROM umavez_outbox AS event "
        "WHERE event.dispatched_at = $1 AND event.id BETWEEN $2 AND $3 "
        "AND EXISTS (SELECT 1 FROM umavez_broker_use) ORDER BY event.id ON CONFLICT DO NOTHING",
        {to_micros(batch.dispatched_at), batch.first_id, batch.last_id, events_queue}
    );
    if (!made) return std::unexpected(made.error());
    return {};
}

Result<std::size_t> dispatch_once(Transaction& transaction, std::size_t limit)
{
    const auto batch = take_undispatched(transaction, limit);
    if (!batch) return std::unexpected(batch.error());
    if (batch->events == 0) return 0;
    const auto made = make_deliveries(transaction, *batch);
    if (!made) return std::unexpected(made.error());
    const auto messages = make_messages(transaction, *batch);
    if (!messages) return std::unexpected(messages.error());
    return batch->events;
}

}  // namespace umavez::messaging
