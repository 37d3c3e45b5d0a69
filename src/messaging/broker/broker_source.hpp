#pragma once

// The source of a deployment with RabbitMQ: a consumer with a thread and a connection of its own.
//
// Workers' answers are posted to that thread and cannot fail: one that is lost with the connection means
// that the message comes again. Delivery tags are worth something on their own connection alone, so each has
// the number (epoch) of its connection, and an answer from an older one does nothing.
//
// To hold a message back, a copy with the same id goes to the held queue, and when that is confirmed the
// message is acknowledged: a death in between leaves two, never none. To refuse it, the copy goes to the
// dead with the reason. The copies have a connection of their own. Headers that are not ours do not travel
// with them.
//
// A worker that dies takes with it what its process had in hand: all of that counts a delivery. So what came
// three times and killed, perhaps, is begun one at a time, and the others of its kind wait in the held queue
// with their count: each counts its own deaths. One that was in hand for hold_max begins to count anew.
//
// Thread-safe. The destructor gives back what was not begun.

#include "messaging/broker/options.hpp"
#include "messaging/message_source.hpp"

#include <umavez/result.hpp>

#include <memory>
#include <string>

namespace umavez::messaging {

// misconfigured: the options, or a queue at the broker that has no dead-letter exchange or other arguments
// than ours (topology.hpp). A broker that is not there is no error here: it is tried again, and next()
// tells.
Result<std::unique_ptr<MessageSource>> make_broker_source(BrokerOptions options, std::string queue);

}  // namespace umavez::messaging
