#pragma once

// Whether a broker is in use. The first process that starts with one writes it down, and from then on the
// dispatcher of events, in any process, makes a message of each event beside its deliveries. A process
// without the setting still has to: who gives an event out is a matter of chance.
//
// It stays written when the processes with a broker go away: their events wait. Confined to the thread of
// the transaction.

#include <umavez/transaction.hpp>

namespace umavez::messaging {

// The queue of events: they go to an exchange of their own.
inline constexpr const char* events_queue = "events";

Result<void> remember_broker(Transaction& transaction);

// For a deployment that gives its broker up: no more messages are made of events, and those that wait go.
Result<void> forget_broker(Transaction& transaction);

}  // namespace umavez::messaging
