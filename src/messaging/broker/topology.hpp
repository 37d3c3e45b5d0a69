#pragma once

// What of ours is at the broker, and its declaration. With the prefix "umavez" and a queue "mailing":
//
//     umavez.work          direct exchange; routing key "mailing" leads to
//     umavez.mailing       the quorum queue, with a limit of deliveries; what is refused goes to
//     umavez.dead          direct exchange, whose routing key "mailing" leads to
//     umavez.mailing.dead  the quorum queue of the dead
//     umavez.mailing.held  quorum queue of what waits; nobody consumes it, what expired goes to umavez.work
//     umavez.events        topic exchange of events; the routing key is the type: fatura.paga
//
// Declared with every connection, with our arguments. A queue that is there with others is refused: without
// a dead-letter exchange what a worker refuses would vanish, without a limit it would come for ever. Dead
// letters move at least once: their queue has them before the old one forgets them.
//
// Confined to the thread of the connection.

#include "messaging/broker/connection.hpp"
#include "messaging/broker/options.hpp"

#include <umavez/result.hpp>

#include <string>

namespace umavez::messaging {

// The longest delay of the held queue. Only its head expires: an early one behind a late one waits for it,
// and so no longer than this. What is to wait longer is held back again.
inline constexpr Duration held_longest = std::chrono::seconds{60};

// Where a message goes. Mandatory: one that leads to no queue comes back.
struct Route {
    std::string exchange;
    std::string key;
    bool is_mandatory = true;
};

class Names {
public:
    explicit Names(std::string prefix) : prefix_(std::move(prefix)) {}

    std::string work() const { return prefix_ + ".work"; }
    std::string dead() const { return prefix_ + ".dead"; }
    std::string events() const { return prefix_ + ".events"; }
    std::string queue(const std::string& name) const { return prefix_ + "." + name; }
    std::string dead_queue(const std::string& name) const { return queue(name) + ".dead"; }
    std::string held_queue(const std::string& name) const { return queue(name) + ".held"; }

    // Of a message of the outbox. An event that nobody asks for is nobody's: it need not lead anywhere.
    Route route_of(const std::string& name, const std::string& type) const;
    Route to_held(const std::string& name) const { return {"", held_queue(name)}; }
    Route to_dead(const std::string& name) const { return {dead(), name}; }

private:
    std::string prefix_;
};

// Declares a work queue with all it needs; "events" is the exchange alone. misconfigured: something of that
// name is there and is not what we need, or we may not declare it; the detail names it and the cure.
// store_unavailable: the broker could not be asked, and the connection is of no use any more.
Result<void> declare_queue(
    Connection& connection, const BrokerOptions& options, const std::string& name
);

}  // namespace umavez::messaging
