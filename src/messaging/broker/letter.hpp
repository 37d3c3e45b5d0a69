#pragma once

// Letter: a message as it travels through the broker, and its way into the properties of AMQP and back.
//
//     message_id        the same however often it is published: by it a consumer knows a repetition
//     type, timestamp   of the message
//     content_type      application/json; the body is the data of the message
//     delivery_mode     2: persistent
//     headers           tenant, aggregate; umavez-deliveries and umavez-reason where they apply
//
// Pure, thread-safe.

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <amqp.h>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace umavez::messaging {

struct Letter {
    std::string message_id;
    std::string tenant;
    std::string aggregate;
    std::string type;
    std::string data;
    Instant created_at;
    std::int64_t deaths = 0;               // of workers that had it
    std::string reason = {};               // why it is dead
    std::optional<Duration> expires = {};  // in the held queue
};

// Of what another may have sent. An error tells what is missing.
Result<Letter> parse_letter(const amqp_message_t& message);

// The properties of a letter; they point into it and into this, which both outlive them.
class Properties {
public:
    explicit Properties(const Letter& letter);
    Properties(const Properties&) = delete;
    Properties& operator=(const Properties&) = delete;

    const amqp_basic_properties_t* get() const noexcept { return &properties_; }

private:
    std::array<amqp_table_entry_t, 4> headers_{};
    std::string expiration_;
    amqp_basic_properties_t properties_{};
};

}  // namespace umavez::messaging
