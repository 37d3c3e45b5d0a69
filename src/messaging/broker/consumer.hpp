#pragma once

// Consumer: a connection over which one queue is read. Confined to its thread, which calls read() at least
// every second.

#include "messaging/broker/connection.hpp"
#include "messaging/broker/letter.hpp"
#include "messaging/broker/options.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace umavez::messaging {

struct Delivered {
    std::uint64_t tag = 0;
    Result<Letter> letter;
};

class Consumer {
public:
    // Declares the queue with all it needs, and begins to read. misconfigured: the broker does not let us in,
    // or has a queue that is not as it has to be. store_unavailable: it could not be asked.
    static Result<Consumer> open(
        const BrokerAddress& address, const BrokerOptions& options, const std::string& queue
    );

    // What came. Never waits. An error: the connection is of no use any more, and no tag of it either.
    Answered<std::vector<Delivered>> read();

    Answered<void> acknowledge(std::uint64_t tag);
    enum class Then : std::uint8_t { dead_letter, requeue };
    Answered<void> reject(std::uint64_t tag, Then then);

    Connection& connection() noexcept { return connection_; }

private:
    explicit Consumer(Connection connection) : connection_(std::move(connection)) {}
    Connection connection_;
};

}  // namespace umavez::messaging
