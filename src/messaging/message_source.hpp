#pragma once

// MessageSource: where a worker gets its messages from, and the one place where it says what became of them.
//
// A message that was given out and not settled comes again: after the death of its worker, of the
// connection, or when it was hidden for long enough. So every message may come more than once, and its
// worker has to be safe against that by itself.
//
// Thread-safe: many workers share a source.

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace umavez::messaging {

struct ReceivedMessage {
    std::string message_id;
    std::string tenant;  // as it was sent: check it
    std::string type;
    std::string data;
    std::int64_t deliveries = 1;  // how often it was given out, as far as the source knows

    std::uint64_t handle = 0;  // the source's own
    std::uint64_t epoch = 0;   // of the connection it came over: a stale handle settles nothing
};

class MessageSource {
public:
    virtual ~MessageSource() = default;

    // The next one, or nullopt after `patience` or a stop. An error is trouble with the database or the
    // broker: it was told, the source goes on trying by itself.
    virtual Result<std::optional<ReceivedMessage>> next(
        Duration patience, std::stop_token stop
    ) = 0;

    // Done, whatever came of it: it does not come again.
    virtual Result<void> settle(const ReceivedMessage& message) = 0;

    // Not now: it comes again after `delay`, to anybody.
    virtual Result<void> hold_back(const ReceivedMessage& message, Duration delay) = 0;

    // Nobody can work on it: it is kept among the dead with the reason.
    virtual Result<void> refuse(const ReceivedMessage& message, std::string why) = 0;

    // A message was committed in this process.
    virtual void wake() {}
};

}  // namespace umavez::messaging
