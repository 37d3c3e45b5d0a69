#pragma once

// The end of events: what was given out longer ago than the retention and reached everybody, or will not, is
// removed with its deliveries. What waits or was given up stays until somebody settles it. Confined to the
// thread of the transaction.

#include <umavez/transaction.hpp>

#include <cstddef>

namespace umavez::messaging {

// At most `limit` events, and as many destinations that were removed and have no deliveries left. Tells how
// many events.
Result<std::size_t> sweep_outbox(Transaction& transaction, Duration retention, std::size_t limit);

}  // namespace umavez::messaging
