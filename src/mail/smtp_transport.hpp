#pragma once

// SmtpTransport: messages to a mail server, one after the other on one connection.
//
// What a server takes it takes with the dot that ends a message, and with nothing before it. So every
// failure until that dot leaves is certain, and only a reply that does not come after it is not. Nothing
// is repeated but the opening of a connection that had gone away before it heard of the message. Confined
// to its thread.

#include "mail/smtp_connection.hpp"
#include "mail/smtp_reply.hpp"
#include "mail/transport.hpp"

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace umavez::mail {

class SmtpTransport final : public Transport {
public:
    SmtpTransport(SmtpUrl url, TransportOptions options)
        : url_(std::move(url)), options_(std::move(options))
    {
    }
    ~SmtpTransport() override;
    SmtpTransport(const SmtpTransport&) = delete;
    SmtpTransport& operator=(const SmtpTransport&) = delete;

    Delivered send(const Envelope& envelope, std::string_view content, std::stop_token stop)
        override;

private:
    struct Tried {
        Delivered delivered;
        bool has_begun = true;  // false: the server had not yet heard of the message
    };

    Deadline later() const;
    void drop();
    Delivered open(Deadline deadline, const StopSignal& stop);
    Tried try_once(const Envelope& envelope, const std::string& lines, const StopSignal& stop);
    Delivered hand_over(std::string_view lines, const StopSignal& stop);
    Delivered not_handed_over(Carried carried);

    std::expected<Reply, Carried> ask(
        std::string_view command, Deadline deadline, const StopSignal* stop
    );
    std::expected<Reply, Carried> read_reply(Deadline deadline, const StopSignal* stop);
    Delivered conclude(Step step, Verdict verdict, const Reply& reply);
    Delivered break_off(Verdict verdict, std::string_view where, Carried carried);

    const SmtpUrl url_;
    const TransportOptions options_;
    std::unique_ptr<SmtpConnection> connection_;  // null: none yet, or not any more
    ReplyReader reader_;
    bool needs_reset_ = false;  // the server still holds half a message
};

}  // namespace umavez::mail
