#pragma once

// Messages of the outbox: what is to reach a queue, written in the transaction of what it speaks of. With a
// broker a relay publishes them; without one, workers read them from the table (message_source.hpp).
//
// The table is umavez_messages: a work table (work/work_table.hpp) whose states are
//     pending     to be published, or to be worked on
//     published   the broker confirmed it
//     done        a worker without a broker settled it
//     dead        nobody could take it: unroutable, too large, or refused by its worker
//
// The functions are confined to the thread of their transaction.

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::messaging {

struct QueuedMessage {
    TenantId tenant_id;
    std::string queue;      // "mailing"; "events" goes to the exchange of events
    std::string aggregate;  // what is kept in order: "mailing/0190…"
    std::string type;       // "mailing.processar"
    std::string data;       // JSON
};

// Its message id is made here and stays the same however often it is published.
Result<void> append_message(Transaction& transaction, const QueuedMessage& message);

// How many messages of an aggregate are still pending.
Result<std::int64_t> count_pending_messages(
    Transaction& transaction, std::string_view queue, std::string_view aggregate
);

}  // namespace umavez::messaging
