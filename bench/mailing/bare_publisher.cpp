#include "mailing/bare_publisher.hpp"

#include <fmt/format.h>

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace umavez::bench {
namespace {

constexpr amqp_channel_t channel = 1;

amqp_bytes_t bytes_of(const std::string& text)
{
    return {text.size(), const_cast<char*>(text.data())};
}

class Line {
public:
    explicit Line(const Publishing& publishing)
        : state_(amqp_new_connection(), &amqp_destroy_connection)
    {
        amqp_socket_t* const socket = amqp_tcp_socket_new(state_.get());
        if (amqp_socket_open(socket, publishing.host.c_str(), publishing.port) != AMQP_STATUS_OK) {
            throw std::runtime_error("no connection to RabbitMQ");
        }
        const auto logged_in =
            amqp_login(state_.get(), "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest");
        if (logged_in.reply_type != AMQP_RESPONSE_NORMAL) throw std::runtime_error("no log-in");
        amqp_channel_open(state_.get(), channel);
        check("channel");
    }

    amqp_connection_state_t get() const noexcept { return state_.get(); }

    void check(const std::string& what) const
    {
        if (amqp_get_rpc_reply(state_.get()).reply_type != AMQP_RESPONSE_NORMAL) {
            throw std::runtime_error("RabbitMQ refused: " + what);
        }
    }

private:
    std::unique_ptr<amqp_connection_state_t_, decltype(&amqp_destroy_connection)> state_;
};

void declare(const Line& line, const std::string& exchange, const std::string& queue)
{
    amqp_exchange_declare(
        line.get(),
        channel,
        bytes_of(exchange),
        amqp_cstring_bytes("direct"),
        0,
        1,
        0,
        0,
        amqp_empty_table
    );
    line.check("exchange");
    amqp_table_entry_t type{};
    type.key = amqp_cstring_bytes("x-queue-type");
    type.value.kind = AMQP_FIELD_KIND_UTF8;
    type.value.value.bytes = amqp_cstring_bytes("quorum");
    const amqp_table_t arguments{1, &type};
    amqp_queue_declare(line.get(), channel, bytes_of(queue), 0, 1, 0, 0, arguments);
    line.check("queue");
    amqp_queue_bind(
        line.get(),
        channel,
        bytes_of(queue),
        bytes_of(exchange),
        amqp_cstring_bytes("bench"),
        amqp_empty_table
    );
    line.check("bind");
    amqp_confirm_select(line.get(), channel);
    line.check("confirms");
}

// Waits for one frame; how far everything is confirmed then.
std::uint64_t read_confirm(const Line& line, std::uint64_t confirmed)
{
    amqp_frame_t frame{};
    amqp_maybe_release_buffers(line.get());
    if (amqp_simple_wait_frame(line.get(), &frame) != AMQP_STATUS_OK) {
        throw std::runtime_error("the connection to RabbitMQ ended");
    }
    if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD) {
        throw std::runtime_error("RabbitMQ did not confirm");
    }
    const auto& ack = *static_cast<const amqp_basic_ack_t*>(frame.payload.method.decoded);
    return ack.multiple != 0 ? std::max(confirmed, ack.delivery_tag) : confirmed + 1;
}

}  // namespace

double publish_bare(const Publishing& publishing)
{
    const std::string exchange = publishing.prefix + ".exchange";
    const std::string queue = publishing.prefix + ".queue";
    const auto began = std::chrono::steady_clock::now();
    const Line line{publishing};
    declare(line, exchange, queue);
    amqp_basic_properties_t properties{};
    properties._flags =
        AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_CONTENT_TYPE_FLAG;
    properties.delivery_mode = 2;
    properties.content_type = amqp_cstring_bytes("application/json");
    std::uint64_t confirmed = 0;
    for (std::uint64_t sent = 0; sent < publishing.count; ++sent) {
        while (sent - confirmed >= publishing.window) confirmed = read_confirm(line, confirmed);
        const std::string id = fmt::format("01890a5d-ac96-774b-bcce-{:012}", sent);
        properties.message_id = bytes_of(id);
        const int status = amqp_basic_publish(
            line.get(),
            channel,
            bytes_of(exchange),
            amqp_cstring_bytes("bench"),
            /*mandatory=*/1,
            /*immediate=*/0,
            &properties,
            bytes_of(publishing.body)
        );
        if (status != AMQP_STATUS_OK) throw std::runtime_error("RabbitMQ took no message");
    }
    while (confirmed < publishing.count) confirmed = read_confirm(line, confirmed);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    amqp_queue_delete(line.get(), channel, bytes_of(queue), 0, 0);
    return seconds;
}

void delete_queues(const Publishing& publishing)
{
    const Line line{publishing};
    for (const char* const name : {".mailing", ".mailing.dead", ".mailing.held"}) {
        const std::string queue = publishing.prefix + name;
        amqp_queue_delete(line.get(), channel, bytes_of(queue), 0, 0);
        line.check("delete " + queue);
    }
}

}  // namespace umavez::bench
