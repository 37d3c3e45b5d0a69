#pragma once

// Our relay: messages from the table of the outbox to the broker, each marked when it is confirmed.
// Failures throw.

#include "mailing/bare_publisher.hpp"

#include <string>

namespace umavez::bench {

// What a message of ours says.
std::string relayed_body();

// Seconds from the start of the relay until no message is pending. `database` is fresh. The queues are
// deleted afterwards.
double relay_all(const std::string& database, const Publishing& publishing);

}  // namespace umavez::bench
