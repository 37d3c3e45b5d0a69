#pragma once

// Letters: the message of a mailing, read once, and written for each of its recipients.
//
// {{coluna}} is a column of the file, {{email}} the address, {{descadastro}} the page where the recipient
// unsubscribes. The Message-ID is the same whoever sends and how often. Immutable, thread-safe.

#include "mail/address.hpp"
#include "mail/template.hpp"
#include "mail/transport.hpp"
#include "modules/mailing/entities.hpp"
#include "modules/mailing/ledger.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <expected>
#include <string>

namespace umavez::mailing {

struct Letter {
    mail::Envelope envelope;
    std::string content;  // a whole message (mail/mime.hpp)
};

class Letters {
public:
    // `public_url`: where recipients reach us, without a slash at its end; empty: there is no such page,
    // and no List-Unsubscribe. invalid_argument: the message cannot be used; the detail is for its author.
    static Result<Letters> parse(const Mailing& mailing, std::string public_url);

    // The error is a reason for people: its fields cannot be read.
    std::expected<Letter, std::string> write(const MarkedEntry& entry, Instant date) const;

private:
    Letters(
        std::string uuid,
        std::string public_url,
        std::string from,
        mail::Mailbox mailbox,
        mail::Template subject,
        mail::Template text,
        mail::Template html
    );

    std::string uuid_;
    std::string public_url_;
    std::string from_;
    mail::Mailbox mailbox_;
    mail::Template subject_;
    mail::Template text_;
    mail::Template html_;
};

// "https://loja.example/u/17-AbC…": the page of one recipient.
std::string unsubscribe_url(const std::string& public_url, const MarkedEntry& entry);

}  // namespace umavez::mailing
