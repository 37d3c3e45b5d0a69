#include "messaging/broker/consumer.hpp"

#include "messaging/broker/topology.hpp"

#include <fmt/format.h>

namespace umavez::messaging {
namespace {

constexpr amqp_channel_t channel = 1;

std::unexpected<Error> unavailable(const Refusal& refusal)
{
    return fail(Errc::store_unavailable, "no connection to the broker: " + to_text(refusal));
}

// Not let in: nothing that waiting would change.
std::unexpected<Error> locked_out(const Refusal& refusal)
{
    return fail(
        Errc::misconfigured,
        fmt::format(
            "the broker refused the log-in ({}): the setting broker has the wrong user, password "
            "or "
            "vhost, or the user has no rights there",
            to_text(refusal)
        )
    );
}

bool is_lock_out(const Refusal& refusal)
{
    return refusal.code == reply_code::access_refused || refusal.code == reply_code::not_allowed;
}

}  // namespace

Result<Consumer> Consumer::open(
    const BrokerAddress& address, const BrokerOptions& options, const std::string& queue
)
{
    auto connection = Connection::open(address, options, "umavez consumer of " + queue);
    if (!connection) {
        if (is_lock_out(connection.error())) return locked_out(connection.error());
        return unavailable(connection.error());
    }
    if (auto declared = declare_queue(*connection, options, queue); !declared)
        return std::unexpected(declared.error());
    if (auto opened = connection->open_channel(channel); !opened)
        return unavailable(opened.error());
    // Per consumer: RabbitMQ 4 refuses a global one.
    amqp_basic_qos(connection->state(), channel, 0, options.prefetch, /*global=*/0);
    if (auto limited = connection->check(); !limited) return unavailable(limited.error());
    const std::string name = Names{options.prefix}.queue(queue);
    amqp_basic_consume(
        connection->state(),
        channel,
        bytes_of(name),
        amqp_empty_bytes,
        /*no_local=*/0,
        /*no_ack=*/0,
        /*exclusive=*/0,
        amqp_empty_table
    );
    if (auto consumes = connection->check(); !consumes) return unavailable(consumes.error());
    return Consumer{*std::move(connection)};
}

Answered<std::vector<Delivered>> Consumer::read()
{
    std::vector<Delivered> deliveries;
    for (;;) {
        const auto frame = connection_.read();
        if (!frame) return std::unexpected(frame.error());
        if (!*frame) return deliveries;
        if ((*frame)->frame_type != AMQP_FRAME_METHOD) continue;
        const amqp_method_t& method = (*frame)->payload.method;
        switch (method.id) {
            case AMQP_BASIC_DELIVER_METHOD: {
                const std::uint64_t tag =
                    static_cast<const amqp_basic_deliver_t*>(method.decoded)->delivery_tag;
                const auto content = connection_.read_content(channel);
                if (!content) return std::unexpected(content.error());
                deliveries.push_back({tag, parse_letter(content->message())});
                break;
            }
            case AMQP_BASIC_CANCEL_METHOD:
                return std::unexpected(Refusal{0, "the queue was deleted or moved"});
            case AMQP_CHANNEL_CLOSE_METHOD:
            case AMQP_CONNECTION_CLOSE_METHOD: return std::unexpected(refusal_of(method));
            default: break;
        }
    }
}

Answered<void> Consumer::acknowledge(std::uint64_t tag)
{
    return Connection::check(amqp_basic_ack(connection_.state(), channel, tag, /*multiple=*/0));
}

Answered<void> Consumer::reject(std::uint64_t tag, Then then)
{
    const bool comes_again = then == Then::requeue;
    return Connection::check(
        amqp_basic_reject(connection_.state(), channel, tag, comes_again ? 1 : 0)
    );
}

}  // namespace umavez::messaging
