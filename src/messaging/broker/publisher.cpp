#include "messaging/broker/publisher.hpp"

#include "base/fault_point.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::messaging {
namespace {

constexpr amqp_channel_t channel = 1;

}  // namespace

Answered<Publisher> Publisher::open(
    const BrokerAddress& address,
    const BrokerOptions& options,
    const std::string& name,
    const Clock& clock
)
{
    auto connection = Connection::open(address, options, name);
    if (!connection) return std::unexpected(connection.error());
    if (auto opened = connection->open_channel(channel); !opened)
        return std::unexpected(opened.error());
    amqp_confirm_select(connection->state(), channel);
    if (auto selected = connection->check(); !selected) return std::unexpected(selected.error());
    return Publisher{*std::move(connection), options, clock};
}

Publisher::Publisher(Connection connection, const BrokerOptions& options, const Clock& clock)
    : connection_(std::move(connection)),
      clock_(&clock),
      window_(options.window),
      bytes_max_(options.message_bytes_max),
      confirm_timeout_(options.confirm_timeout)
{
}

void Publisher::publish(std::uint64_t ticket, const Route& route, const Letter& letter)
{
    if (letter.data.size() > bytes_max_) {
        settled_.push_back(
            {ticket,
             Fate::refused,
             fmt::format(
                 "{} bytes are more than the {} of a message", letter.data.size(), bytes_max_
             )}
        );
        return;
    }
    strike(FaultPoint::handler_before_effect);
    // Before it is sent: a write that failed may have gone out.
    outstanding_.emplace(
        ++last_tag_,
        Outstanding{
            .ticket = ticket, .message_id = letter.message_id, .sent_at = clock_->boottime()
        }
    );
    const Properties properties{letter};
    const auto sent = Connection::check(amqp_basic_publish(
        connection_.state(),
        channel,
        bytes_of(route.exchange),
        bytes_of(route.key),
        route.is_mandatory ? 1 : 0,
        /*immediate=*/0,
        properties.get(),
        bytes_of(letter.data)
    ));
    if (!sent) lose(sent.error());
}

void Publisher::read()
{
    if (loss_) return;
    if (auto read = read_all(); !read) return lose(read.error());
    if (outstanding_.empty()) return;
    const Outstanding& oldest = outstanding_.begin()->second;
    // A broker in need confirms later; that it is alive its heartbeats tell.
    if (!is_blocked() && clock_->boottime() - oldest.sent_at > confirm_timeout_)
        lose({0, "the broker did not confirm in time"});
}

Answered<void> Publisher::read_all()
{
    for (;;) {
        const auto frame = connection_.read();
        if (!frame) return std::unexpected(frame.error());
        if (!*frame) return {};
        if ((*frame)->frame_type != AMQP_FRAME_METHOD) continue;
        if (auto done = on_method(**frame); !done) return done;
    }
}

Answered<void> Publisher::on_method(const amqp_frame_t& frame)
{
    const amqp_method_t& method = frame.payload.method;
    switch (method.id) {
        case AMQP_BASIC_ACK_METHOD: {
            const auto* const ack = static_cast<const amqp_basic_ack_t*>(method.decoded);
            settle_up_to(ack->delivery_tag, ack->multiple != 0, true);
            return {};
        }
        case AMQP_BASIC_NACK_METHOD: {
            const auto* const nack = static_cast<const amqp_basic_nack_t*>(method.decoded);
            settle_up_to(nack->delivery_tag, nack->multiple != 0, false);
            return {};
        }
        case AMQP_BASIC_RETURN_METHOD:
            return on_return(*static_cast<const amqp_basic_return_t*>(method.decoded));
        case AMQP_CONNECTION_BLOCKED_METHOD:
            blocked_ =
                text_of(static_cast<const amqp_connection_blocked_t*>(method.decoded)->reason);
            if (blocked_.empty()) blocked_ = "it does not say why";
            return {};
        case AMQP_CONNECTION_UNBLOCKED_METHOD: blocked_.clear(); return {};
        case AMQP_CHANNEL_CLOSE_METHOD:
        case AMQP_CONNECTION_CLOSE_METHOD: return std::unexpected(refusal_of(method));
        default: return {};
    }
}

Answered<void> Publisher::on_return(const amqp_basic_return_t& returned)
{
    std::string why = fmt::format(
        "no route, it led to no queue: {} {}", returned.reply_code, text_of(returned.reply_text)
    );
    const auto content = connection_.read_content(channel);
    if (!content) return std::unexpected(content.error());
    const std::string id = text_of(content->message().properties.message_id);
    for (auto& [tag, one] : outstanding_) {
        if (one.message_id == id) one.returned = why;
    }
    return {};
}

void Publisher::settle_up_to(std::uint64_t tag, bool is_multiple, bool is_ack)
{
    auto first = is_multiple ? outstanding_.begin() : outstanding_.find(tag);
    while (first != outstanding_.end() && first->first <= tag) {
        settle(first->second, is_ack);
        first = outstanding_.erase(first);
    }
}

void Publisher::settle(const Outstanding& one, bool is_ack)
{
    if (!is_ack) {
        settled_.push_back({one.ticket, Fate::nacked, "the broker did not take it"});
    } else if (!one.returned.empty()) {
        settled_.push_back({one.ticket, Fate::returned, one.returned});
    } else {
        settled_.push_back({one.ticket, Fate::confirmed});
        strike(FaultPoint::handler_after_effect);
    }
}

// A channel that is closed because of what was published has one culprit: alone, it is known.
void Publisher::lose(Refusal refusal)
{
    const bool is_culprit =
        refusal.code == reply_code::precondition_failed && outstanding_.size() == 1;
    for (const auto& [tag, one] : outstanding_) {
        settled_.push_back({one.ticket, is_culprit ? Fate::nacked : Fate::unknown, refusal.text});
    }
    outstanding_.clear();
    loss_ = std::move(refusal);
}

}  // namespace umavez::messaging
