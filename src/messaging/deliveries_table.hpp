#pragma once

// Deliveries: one event on its way to one destination. A row is work (work/work_table.hpp), run by
// deliver.hpp; here it is read, by whoever shows it or sends it. Confined to the thread of the transaction.

#include "work/work_table.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace umavez::messaging {

// Order inside an aggregate: a delivery waits for every earlier one to the same destination. One that was
// given up lets the others pass. A destination that is paused gets nothing, and a tenant has four calls under
// way at most: receivers that hang must not take every thread from the others.
inline constexpr work::WorkTable deliveries_table{
    .name = "umavez_deliveries",
    .operation = "webhook.entregar",
    .ready =
        "NOT EXISTS (SELECT 1 FROM umavez_deliveries AS earlier "
        "WHERE earlier.destination_id = item.destination_id "
        "AND earlier.aggregate = item.aggregate AND earlier.state = 'pending' "
        "AND earlier.id < item.id) AND NOT EXISTS (SELECT 1 FROM umavez_destinations AS to_pause "
        "WHERE to_pause.id = item.destination_id AND to_pause.paused_until > $2) "
        "AND (SELECT count(*) FROM umavez_deliveries AS busy WHERE busy.tenant_id = item.tenant_id "
        "AND busy.state = 'pending' AND busy.takes > 0 AND busy.due_at > $2) < 4",
    .done = "delivered",
};

struct Delivery {
    std::int64_t id = 0;
    std::string tenant;
    std::string state;  // pending, delivered, dead, cancelled
    std::int64_t run = 0;
    std::int64_t attempts = 0;
    Instant due_at;
    std::optional<std::string> last_error;
    Instant created_at;
    Instant changed_at;

    std::string message_id;  // of the event
    std::string aggregate;
    std::string type;
    Instant happened_at;

    std::int64_t destination_id = 0;
    std::string url;
    bool is_removed = false;                // the destination
    std::int64_t destination_failures = 0;  // since it last took something
};

Result<std::optional<Delivery>> find_delivery(Transaction& transaction, std::int64_t id);

// What is not given is not asked for.
struct DeliveriesQuery {
    std::optional<TenantId> tenant_id = {};
    std::optional<std::int64_t> destination_id = {};
    std::optional<std::string> state = {};
    std::optional<std::int64_t> before = {};  // ids below this one: the next page
    std::int64_t limit = 50;
};

// The newest first; one more than the limit where there is another page.
Result<std::vector<Delivery>> list_deliveries(
    Transaction& transaction, const DeliveriesQuery& query
);

// What a sender needs besides: the secrets, and the data of the event.
struct Parcel {
    Delivery delivery;
    std::string secrets;
    std::string data;
};

Result<std::optional<Parcel>> load_parcel(Transaction& transaction, std::int64_t id);

// All dead deliveries of a destination, at most `limit` of them: due at once. Tells their next runs.
Result<std::vector<work::Item>> drive_dead_again(
    Transaction& transaction, std::int64_t destination_id, std::int64_t limit
);

}  // namespace umavez::messaging
