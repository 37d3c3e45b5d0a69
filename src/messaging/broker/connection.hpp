#pragma once

// Connection: one AMQP connection of librabbitmq, with TLS, heartbeats and an end.
//
// librabbitmq waits inside its calls and serves heartbeats nowhere else: the owner calls read() at least
// every second. It asks for connection.blocked, so a broker in need tells instead of stopping to read. A
// write that the broker does not take fails after two heartbeats.
//
// Confined to its thread.

#include "messaging/broker/address.hpp"
#include "messaging/broker/options.hpp"

#include <amqp.h>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace umavez::messaging {

// Why the broker did not do something. Code 0: it could not be asked, or gave no answer.
struct Refusal {
    int code = 0;
    std::string text = {};
};

template <typename T>
using Answered = std::expected<T, Refusal>;

namespace reply_code {
inline constexpr int access_refused = 403;
inline constexpr int not_found = 404;
inline constexpr int precondition_failed = 406;
inline constexpr int not_allowed = 530;  // no such vhost, or not for this user
}  // namespace reply_code

// In text: "406: PRECONDITION_FAILED - …".
std::string to_text(const Refusal& refusal);

// A message of librabbitmq, and its end.
class Content {
public:
    explicit Content(const amqp_message_t& message) : message_(message) {}
    ~Content()
    {
        if (message_) amqp_destroy_message(&*message_);
    }
    Content(Content&& other) noexcept : message_(std::exchange(other.message_, std::nullopt)) {}
    Content& operator=(Content&&) = delete;

    const amqp_message_t& message() const { return *message_; }

private:
    std::optional<amqp_message_t> message_;
};

class Connection {
public:
    // `name` is shown in the broker's list of connections.
    static Answered<Connection> open(
        const BrokerAddress& address, const BrokerOptions& options, const std::string& name
    );

    // Says goodbye and lets what was written arrive, for a second at most. Without it the connection is cut.
    void close();

    Answered<void> open_channel(amqp_channel_t channel);

    void close_channel(amqp_channel_t channel);
    // The broker closed it: only now may its number be used again.
    void forget_channel(amqp_channel_t channel);

    // The next frame that is there; nullopt: none. Never waits. The frame is valid until the next call.
    Answered<std::optional<amqp_frame_t>> read();

    // The rest of a message whose method frame was read.
    Answered<Content> read_content(amqp_channel_t channel);

    // Of the last call that librabbitmq makes with an answer.
    Answered<void> check();
    static Answered<void> check(int status);  // of one without

    amqp_connection_state_t state() const noexcept { return state_.get(); }
    int descriptor() const noexcept { return amqp_get_sockfd(state_.get()); }
    bool has_read_ahead() const noexcept;  // something to read that poll() does not see

private:
    struct Destroy {
        void operator()(amqp_connection_state_t state) const noexcept;
    };
    explicit Connection(amqp_connection_state_t state) : state_(state) {}
    Answered<void> connect(const BrokerAddress& address, const BrokerOptions& options);
    Answered<void> log_in(
        const BrokerAddress& address, const BrokerOptions& options, const std::string& name
    );
    Answered<void> answer_of(const amqp_rpc_reply_t& reply);

    std::unique_ptr<amqp_connection_state_t_, Destroy> state_;
};

// What the broker said when it closed a channel or the connection; the frame is that method.
Refusal refusal_of(const amqp_method_t& closing);

inline amqp_bytes_t bytes_of(const std::string& text)
{
    return {text.size(), const_cast<char*>(text.data())};
}
inline std::string text_of(const amqp_bytes_t& bytes)
{
    return {static_cast<const char*>(bytes.bytes), bytes.len};
}

}  // namespace umavez::messaging
