#include "messaging/broker/connection.hpp"

#include <fmt/format.h>

#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <array>
#include <sys/time.h>

namespace umavez::messaging {
namespace {

constexpr int frame_bytes_max = 131'072;
constexpr int channels_max = 8;

timeval to_timeval(Duration duration)
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
    return {
        .tv_sec = seconds.count(),
        .tv_usec = static_cast<suseconds_t>((duration - seconds).count()),
    };
}

amqp_table_entry_t entry(const char* name, bool value)
{
    amqp_table_entry_t made{};
    made.key = amqp_cstring_bytes(name);
    made.value.kind = AMQP_FIELD_KIND_BOOLEAN;
    made.value.value.boolean = value ? 1 : 0;
    return made;
}

std::unexpected<Refusal> failed(int status, std::string_view doing)
{
    return std::unexpected(Refusal{0, fmt::format("{}: {}", doing, amqp_error_string2(status))});
}

// Verified always: the certificate, and that it is the host's.
Answered<void> prepare_tls(amqp_socket_t* socket, const BrokerAddress& address)
{
    amqp_ssl_socket_set_verify_peer(socket, 1);
    amqp_ssl_socket_set_verify_hostname(socket, 1);
    amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST);
    const std::string cacert =
        address.cacert.empty() ? "/etc/ssl/certs/ca-certificates.crt" : address.cacert;
    int status = amqp_ssl_socket_set_cacert(socket, cacert.c_str());
    if (status != AMQP_STATUS_OK) return failed(status, "the authorities in " + cacert);
    if (address.cert.empty()) return {};
    status = amqp_ssl_socket_set_key(socket, address.cert.c_str(), address.key.c_str());
    if (status != AMQP_STATUS_OK) return failed(status, "the certificate in " + address.cert);
    return {};
}

}  // namespace

std::string to_text(const Refusal& refusal)
{
    if (refusal.code == 0) return refusal.text;
    return fmt::format("{}: {}", refusal.code, refusal.text);
}

Refusal refusal_of(const amqp_method_t& closing)
{
    if (closing.id == AMQP_CHANNEL_CLOSE_METHOD) {
        const auto* const close = static_cast<const amqp_channel_close_t*>(closing.decoded);
        return {close->reply_code, text_of(close->reply_text)};
    }
    if (closing.id == AMQP_CONNECTION_CLOSE_METHOD) {
        const auto* const close = static_cast<const amqp_connection_close_t*>(closing.decoded);
        return {close->reply_code, text_of(close->reply_text)};
    }
    return {0, fmt::format("an unexpected method {:#x}", closing.id)};
}

void Connection::Destroy::operator()(amqp_connection_state_t state) const noexcept
{
    amqp_destroy_connection(state);
}

Answered<Connection> Connection::open(
    const BrokerAddress& address, const BrokerOptions& options, const std::string& name
)
{
    Connection connection{amqp_new_connection()};
    if (!connection.state_) return failed(AMQP_STATUS_NO_MEMORY, "a connection");
    if (auto connected = connection.connect(address, options); !connected)
        return std::unexpected(connected.error());
    if (auto logged = connection.log_in(address, options, name); !logged)
        return std::unexpected(logged.error());
    return connection;
}

Answered<void> Connection::connect(const BrokerAddress& address, const BrokerOptions& options)
{
    amqp_socket_t* socket = nullptr;
    if (address.has_tls) {
        socket = amqp_ssl_socket_new(state());
        if (socket == nullptr) return failed(AMQP_STATUS_SSL_ERROR, "TLS");
        if (auto prepared = prepare_tls(socket, address); !prepared) return prepared;
    } else {
        socket = amqp_tcp_socket_new(state());
    }
    if (socket == nullptr) return failed(AMQP_STATUS_NO_MEMORY, "a socket");
    timeval limit = to_timeval(options.connect_timeout);
    amqp_set_handshake_timeout(state(), &limit);
    amqp_set_rpc_timeout(state(), &limit);
    const int status = amqp_socket_open_noblock(socket, address.host.c_str(), address.port, &limit);
    if (status != AMQP_STATUS_OK) return failed(status, address.shown());
    return {};
}

Answered<void> Connection::log_in(
    const BrokerAddress& address, const BrokerOptions& options, const std::string& name
)
{
    std::array capabilities = {
        entry("authentication_failure_close", true),
        entry("connection.blocked", true),
        entry("consumer_cancel_notify", true),
        entry("publisher_confirms", true),
        entry("basic.nack", true),
    };
    std::array<amqp_table_entry_t, 2> properties{};
    properties[0].key = amqp_cstring_bytes("capabilities");
    properties[0].value.kind = AMQP_FIELD_KIND_TABLE;
    properties[0].value.value.table = {static_cast<int>(capabilities.size()), capabilities.data()};
    properties[1].key = amqp_cstring_bytes("connection_name");
    properties[1].value.kind = AMQP_FIELD_KIND_UTF8;
    properties[1].value.value.bytes = bytes_of(name);
    const amqp_table_t table{static_cast<int>(properties.size()), properties.data()};
    const auto heartbeat = std::chrono::ceil<std::chrono::seconds>(options.heartbeat);
    return answer_of(amqp_login_with_properties(
        state(),
        address.vhost.c_str(),
        channels_max,
        frame_bytes_max,
        static_cast<int>(heartbeat.count()),
        &table,
        AMQP_SASL_METHOD_PLAIN,
        address.user.c_str(),
        address.password.c_str()
    ));
}

void Connection::close()
{
    timeval limit = to_timeval(std::chrono::seconds{1});
    amqp_set_rpc_timeout(state(), &limit);
    amqp_connection_close(state(), AMQP_REPLY_SUCCESS);
}

Answered<void> Connection::open_channel(amqp_channel_t channel)
{
    amqp_channel_open(state(), channel);
    return check();
}

void Connection::close_channel(amqp_channel_t channel)
{
    amqp_channel_close(state(), channel, AMQP_REPLY_SUCCESS);
}

void Connection::forget_channel(amqp_channel_t channel)
{
    amqp_channel_close_ok_t heard{};
    amqp_send_method(state(), channel, AMQP_CHANNEL_CLOSE_OK_METHOD, &heard);
}

Answered<std::optional<amqp_frame_t>> Connection::read()
{
    amqp_maybe_release_buffers(state());
    amqp_frame_t frame{};
    timeval now{};
    const int status = amqp_simple_wait_frame_noblock(state(), &frame, &now);
    if (status == AMQP_STATUS_TIMEOUT) return std::nullopt;
    if (status != AMQP_STATUS_OK) return failed(status, "the connection was lost");
    return frame;
}

Answered<Content> Connection::read_content(amqp_channel_t channel)
{
    amqp_message_t message{};
    const auto read = answer_of(amqp_read_message(state(), channel, &message, 0));
    if (!read) return std::unexpected(read.error());
    return Content{message};
}

bool Connection::has_read_ahead() const noexcept
{
    return amqp_frames_enqueued(state()) != 0 || amqp_data_in_buffer(state()) != 0;
}

Answered<void> Connection::check()
{
    return answer_of(amqp_get_rpc_reply(state()));
}

Answered<void> Connection::check(int status)
{
    if (status == AMQP_STATUS_OK) return {};
    return failed(status, "the connection was lost");
}

Answered<void> Connection::answer_of(const amqp_rpc_reply_t& reply)
{
    switch (reply.reply_type) {
        case AMQP_RESPONSE_NORMAL: return {};
        case AMQP_RESPONSE_NONE: return std::unexpected(Refusal{0, "no answer from the broker"});
        case AMQP_RESPONSE_LIBRARY_EXCEPTION: return failed(reply.library_error, "no answer");
        case AMQP_RESPONSE_SERVER_EXCEPTION: return std::unexpected(refusal_of(reply.reply));
    }
    return std::unexpected(Refusal{0, "an unknown answer"});
}

}  // namespace umavez::messaging
