#pragma once

// librabbitmq alone: persistent, mandatory messages with confirms into a quorum queue, at most a window of
// them unconfirmed. Failures throw.

#include <cstddef>
#include <string>

namespace umavez::bench {

struct Publishing {
    std::string host = "127.0.0.1";
    int port = 5672;
    std::string prefix;  // of queue and exchange
    std::string body;
    std::size_t count = 0;
    std::size_t window = 0;
};

// Seconds from the connecting to the last confirm. The queue is deleted afterwards.
double publish_bare(const Publishing& publishing);

// Deletes the queues that a relay declared.
void delete_queues(const Publishing& publishing);

}  // namespace umavez::bench
