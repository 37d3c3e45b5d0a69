#pragma once

// Mover: copies of messages on their way from the queue they came from to another one, the held or the dead.
// When a copy is confirmed, and not before, the caller acknowledges the message. A copy that was not taken
// is tried again: it may be there twice, with the same id, and is never lost. Where it led to no queue, the
// queues are declared first: somebody deleted one.
//
// It has a connection of its own, opened by the first copy: a broker in need stops reading from those who
// publish, and acknowledgements must not wait for that. Confined to its thread, which calls run() at least
// every second.

#include "messaging/broker/publisher.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace umavez::messaging {

class Mover {
public:
    // `queue` is the one they come from.
    Mover(BrokerAddress address, BrokerOptions options, std::string queue, const Clock& clock);
    ~Mover();

    // `tag` is the caller's name of the message.
    void move(std::uint64_t tag, Route route, Letter letter);

    // Does what can be done now and waits for nothing. The tags whose copies are safe.
    std::vector<std::uint64_t> run();

    // The messages are not ours any more: copies that are out stay out.
    void forget() { moves_.clear(); }

    bool is_idle() const noexcept { return moves_.empty(); }
    int descriptor() const noexcept;  // -1: not connected
    bool has_read_ahead() const noexcept;
    void close();          // in order
    void drop() noexcept;  // at once

    // Why something could not be done; told once.
    std::optional<std::string> take_trouble() { return std::exchange(trouble_, std::nullopt); }

private:
    struct Move {
        std::uint64_t tag = 0;
        Route route;
        Letter letter;
        Duration not_before{};  // boottime
        bool is_out = false;    // published, not confirmed
    };

    void open();
    bool has_queues();
    void publish_some();
    std::optional<std::uint64_t> on_settled(const Settled& settled);

    const BrokerAddress address_;
    const BrokerOptions options_;
    const std::string queue_;
    const Clock& clock_;
    std::unique_ptr<Publisher> publisher_;
    Duration open_not_before_{};
    Duration declare_not_before_{};
    std::uint64_t last_ticket_ = 0;
    std::map<std::uint64_t, Move> moves_;  // by ticket
    bool is_queue_missing_ = false;
    bool was_blocked_ = false;
    std::optional<std::string> trouble_;
};

}  // namespace umavez::messaging
