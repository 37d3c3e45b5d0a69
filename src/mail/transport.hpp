#pragma once

// Transport: hands one message to whoever delivers it, and says what is known of it afterwards.
//
// An answer that did not come is not a refusal: the server may have taken the message. Only `unknown` leaves
// that open; after every other verdict it is certain whether the message was taken.
//
// Confined to its thread: each worker has one of its own, whose connection is used for many messages.

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace umavez::mail {

enum class Verdict : std::uint8_t {
    accepted,  // effect: applied
    refused,   // this message or recipient, for good (5xx). Effect: none
    put_off,   // this message or recipient, for now (4xx, 421 after MAIL too). Effect: none
    unreachable,  // no server, or one that takes nothing from us now (421, log-in refused). Effect: none
    unknown,  // all of it was handed over and no answer came. Effect: unknown
};

std::string_view to_text(Verdict verdict) noexcept;

struct Delivered {
    Verdict verdict = Verdict::unreachable;
    int code = 0;        // of the server's last word; 0: none
    std::string detail;  // that word, cut to a line; never has a password
    std::string
        external_id;  // the server's name for the message, where it told one ("queued as …")
};

struct Envelope {
    std::string from;  // addresses alone: "news@loja.example"
    std::string to;
};

class Transport {
public:
    virtual ~Transport() = default;

    // `content` is a whole message (mime.hpp). `stop` gives up before anything was handed over, where it can;
    // afterwards it is ignored, because the answer is worth more.
    virtual Delivered send(
        const Envelope& envelope, std::string_view content, std::stop_token stop
    ) = 0;
};

struct TransportOptions {
    // smtp://USER:PASSWORD@HOST:PORT (smtp_url.hpp has the rest), smtps://… (TLS from the start), file:FOLDER
    // (one .eml for each message, for development).
    std::string url;
    Duration connect_timeout = std::chrono::seconds{10};
    // For each of three: to be greeted and logged in, to be asked for the message, and for its answer.
    Duration answer_timeout = std::chrono::seconds{60};
    std::string ca_file = {};  // where the URL has no ?ca=; empty: the system's
};

// Checks the URL and opens nothing. misconfigured: the sentence names the part and the cure.
Result<std::unique_ptr<Transport>> make_transport(const TransportOptions& options);

// The URL without its password, for logs.
std::string shown_url(std::string_view url);

}  // namespace umavez::mail
