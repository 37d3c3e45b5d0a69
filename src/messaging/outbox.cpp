#include "messaging/outbox.hpp"

#include "base/random.hpp"
#include "base/uuid.hpp"
#include "database/change.hpp"

namespace umavez::messaging {

Result<void> append_event(Transaction& transaction, const OutboxEvent& event)
{
    return change(
        transaction,
        "INSERT INTO umavez_outbox (tenant_id, message_id, aggregate, type, data, created_at) "
        "VALUES ($1, $2, $3, $4, $5, $6)",
        {event.tenant_id.text(),
         "msg_" + make_uuid7(transaction.now(), system_random()),
         event.aggregate,
         event.type,
         event.data,
         to_micros(transaction.now())}
    );
}

}  // namespace umavez::messaging
