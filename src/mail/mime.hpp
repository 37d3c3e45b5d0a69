#pragma once

// A message as it goes over the wire: RFC 5322 headers, and a text, an HTML part or both as alternatives.
// Nothing of its values can begin another header or end the message: whatever it is made of, it is a
// message.
//
// Written here and not by curl_mime, because the bytes are needed as such: for .eml files, to know when
// the last one was handed over, and to be the same every time. Pure, thread-safe.

#include <umavez/time.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::mail {

struct Content {
    std::string from;  // "Loja <news@loja.example>"
    std::string to;    // an address
    std::string subject;
    std::string text;  // UTF-8; one of the two may be empty
    std::string html;
    std::string message_id;  // without brackets
    Instant date;
    // More of them, with values of ASCII (List-Unsubscribe). What cannot be the name of one is left out.
    std::vector<std::pair<std::string, std::string>> headers = {};
};

// ASCII; lines end with CRLF and are short enough for every server; not yet dot-stuffed, and needs none.
std::string to_mime(const Content& content);

// The same for the same mailing and recipient, whoever sends it and how often: "<40 hex
// digits>@loja.example".
std::string make_message_id(
    std::string_view mailing_uuid, std::string_view email, std::string_view domain
);

}  // namespace umavez::mail
