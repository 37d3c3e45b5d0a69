#include "messaging/broker_use.hpp"

namespace umavez::messaging {

Result<void> remember_broker(Transaction& transaction)
{
    const auto written = transaction.execute(
        "INSERT INTO umavez_broker_use (one, since) VALUES (1, $1) ON CONFLICT DO NOTHING",
        {to_micros(transaction.now())}
    );
    if (!written) return std::unexpected(written.error());
    return {};
}

Result<void> forget_broker(Transaction& transaction)
{
    const auto forgotten = transaction.execute("DELETE FROM umavez_broker_use");
    if (!forgotten) return std::unexpected(forgotten.error());
    const auto removed = transaction.execute(
        "DELETE FROM umavez_messages WHERE state = 'pending' AND queue = $1", {events_queue}
    );
    if (!removed) return std::unexpected(removed.error());
    return {};
}

}  // namespace umavez::messaging
