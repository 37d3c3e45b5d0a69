#pragma once

// What a deployment says about its broker, and the names of ours there. Immutable after construction.

#include <umavez/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace umavez::messaging {

struct BrokerOptions {
    // amqp://user:password@host:port/vhost, amqps:// with TLS (address.hpp). Holds a password.
    std::string url;
    std::string prefix = "umavez";  // of every exchange and queue

    Duration heartbeat = std::chrono::seconds{10};
    Duration connect_timeout = std::chrono::seconds{10};  // and of every answer in the handshake
    Duration retry_longest = std::chrono::seconds{5};     // between tries to connect

    // Publishing.
    std::size_t window = 500;  // published and not confirmed yet
    Duration confirm_timeout = std::chrono::seconds{30};
    std::size_t message_bytes_max =
        std::size_t{1024} * 1024;  // RabbitMQ 4 takes 16 MiB, 3.10 128 MiB

    // Consuming. As many as there are workers: what is prefetched and not begun waits for them alone.
    std::uint16_t prefetch = 2;
    // What is not settled for so long is moved to the held queue: RabbitMQ closes a channel after 30
    // minutes.
    Duration hold_max = std::chrono::minutes{10};
    Duration unbegun_max = std::chrono::seconds{10};  // no worker was free: others may have it
    std::int64_t delivery_limit =
        20;  // deliveries whose workers died; RabbitMQ 3.10 has no limit of its own
};

}  // namespace umavez::messaging
