#pragma once

// The source of a deployment without a broker: messages are read from umavez_messages, one at a time, by any
// number of workers in any number of processes.
//
// A message that is given out is hidden for `hidden` and is not hidden longer while it is worked on: work
// that takes longer sees its message come again, to a worker that finds the owner alive and holds it back.
// So a worker that died is followed after `hidden`, without anybody who keeps signs of life here.
//
// What is given out is in no order: a queue of a broker keeps none either once there are two consumers.
//
// Thread-safe. Outlived by the database.

#include "messaging/message_source.hpp"

#include <umavez/transaction.hpp>

#include <memory>
#include <string>

namespace umavez::messaging {

struct TableSourceOptions {
    Duration hidden = std::chrono::seconds{30};
    Duration period = std::chrono::milliseconds{500};  // between looks where nobody calls wake()
    std::int64_t takes_max = 20;  // workers that died with it; then it is dead, as with a broker
};

std::unique_ptr<MessageSource> make_table_source(
    Database& database, std::string queue, TableSourceOptions options = {}
);

}  // namespace umavez::messaging
