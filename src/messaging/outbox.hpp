#pragma once

// The transactional outbox: what happened, written in the transaction in which it happened. An event that
// was appended is delivered if and only if its transaction commits.
//
// Order: events of one aggregate are delivered in the order of their rows. So append an event after the
// transaction changed (and thereby locked) the aggregate's own row.
//
// The functions are confined to the thread of their transaction.

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <span>
#include <string>

namespace umavez::messaging {

struct OutboxEvent {
    TenantId tenant_id;
    std::string aggregate;  // "fatura/12": what the event speaks of, and what is kept in order
    std::string type;       // "fatura.paga"
    std::string data;       // JSON: the aggregate as it is now
};

Result<void> append_event(Transaction& transaction, const OutboxEvent& event);

// The tables of the outbox, of destinations, of deliveries and of messages, for Database::migrate.
// Immutable.
std::span<const Migration> migrations(Dialect dialect);

}  // namespace umavez::messaging
