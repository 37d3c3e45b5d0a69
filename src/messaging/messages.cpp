#include "messaging/messages.hpp"

#include "base/random.hpp"
#include "base/uuid.hpp"

namespace umavez::messaging {

Result<void> append_message(Transaction& transaction, const QueuedMessage& message)
{
    const auto appended = transaction.execute(
        "INSERT INTO umavez_messages (tenant_id, message_id, queue, aggregate, type, data, state, "
        "due_at, created_at, changed_at) VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, $7, $7)",
        {message.tenant_id.text(),
         make_uuid7(transaction.now(), system_random()),
         message.queue,
         message.aggregate,
         message.type,
         message.data,
         to_micros(transaction.now())}
    );
    if (!appended) return std::unexpected(appended.error());
    return {};
}

Result<std::int64_t> count_pending_messages(
    Transaction& transaction, std::string_view queue, std::string_view aggregate
)
{
    const auto rows = transaction.query(
        "SELECT count(*) FROM umavez_messages WHERE state = 'pending' AND aggregate = $2 AND "
        "queue || '' = $1",
        {std::string{queue}, std::string{aggregate}}
    );
    if (!rows) return std::unexpected(rows.error());
    return rows->front().integer(0);
}

}  // namespace umavez::messaging
