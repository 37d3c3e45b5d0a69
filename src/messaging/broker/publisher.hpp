#pragma once

// Publisher: letters out, and the fate of each in return. It has a connection of its own: a broker in need
// stops reading from those who publish.
//
// A letter is safe when the broker confirmed it and did not return it before: one that led to no queue is
// returned and then confirmed all the same. When the connection is lost, or a confirmation does not come in
// time, what was outstanding is unknown: it may be there. Publishing it again, with the same id, is right.
//
// Confined to its thread, which calls read() at least every second.

#include "messaging/broker/connection.hpp"
#include "messaging/broker/letter.hpp"
#include "messaging/broker/topology.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace umavez::messaging {

enum class Fate : std::uint8_t {
    confirmed,  // the broker has it
    nacked,     // the broker did not take it, or closed the channel because of it
    returned,   // it led to no queue
    refused,    // it is too large, for ever
    unknown,    // it may be there
};

struct Settled {
    std::uint64_t ticket = 0;
    Fate fate = Fate::unknown;
    std::string why = {};
};

class Publisher {
public:
    static Answered<Publisher> open(
        const BrokerAddress& address,
        const BrokerOptions& options,
        const std::string& name,
        const Clock& clock
    );

    // Whether one more may be published now.
    bool has_room() const noexcept
    {
        return !loss_ && !is_blocked() && outstanding_.size() < window_;
    }
    // The broker is in need, and says why.
    bool is_blocked() const noexcept { return !blocked_.empty(); }
    const std::string& blocked_reason() const noexcept { return blocked_; }
    std::size_t outstanding() const noexcept { return outstanding_.size(); }

    // `ticket` is the caller's name of it.
    void publish(std::uint64_t ticket, const Route& route, const Letter& letter);

    // Takes what came from the broker. Never waits.
    void read();

    // What was settled since, in the order of its fate.
    std::vector<Settled> take_settled() { return std::exchange(settled_, {}); }

    // Once it is there, everything outstanding was settled and the publisher is of no use any more.
    const std::optional<Refusal>& loss() const noexcept { return loss_; }

    // The connection is of no use any more; everything outstanding is settled.
    void lose(Refusal refusal);

    Connection& connection() noexcept { return connection_; }
    const Connection& connection() const noexcept { return connection_; }

private:
    struct Outstanding {
        std::uint64_t ticket = 0;
        std::string message_id;
        Duration sent_at{};  // boottime
        std::string returned = {};
    };

    Publisher(Connection connection, const BrokerOptions& options, const Clock& clock);
    Answered<void> read_all();
    Answered<void> on_method(const amqp_frame_t& frame);
    Answered<void> on_return(const amqp_basic_return_t& returned);
    void settle_up_to(std::uint64_t tag, bool is_multiple, bool is_ack);
    void settle(const Outstanding& one, bool is_ack);

    Connection connection_;
    const Clock* clock_;
    std::size_t window_;
    std::size_t bytes_max_;
    Duration confirm_timeout_;
    std::uint64_t last_tag_ = 0;
    std::map<std::uint64_t, Outstanding> outstanding_;  // by delivery tag
    std::vector<Settled> settled_;
    std::string blocked_;
    std::optional<Refusal> loss_;
};

}  // namespace umavez::messaging
