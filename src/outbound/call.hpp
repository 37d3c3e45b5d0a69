#pragma once

// One HTTP call that leaves the house, to a server that somebody else chose.
//
// A connection of its own for every call; no redirects, no proxies, no cookies, no retries: the caller
// decides what a failure means, and every failure tells whether the request can have left. The address that
// is really connected to is judged (address.hpp), so a name that changes its mind does not help.
//
// Blocking, thread-safe. A stop cuts the call at once.

#include "outbound/client_certificate.hpp"

#include <umavez/response.hpp>
#include <umavez/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace umavez::outbound {

struct Call {
    std::string method = "POST";
    std::string url;
    std::vector<Header> headers = {};
    std::string body = {};
    std::chrono::milliseconds connect_timeout = std::chrono::seconds{5};
    std::chrono::milliseconds total_timeout =
        std::chrono::seconds{15};            // the connection's included
    std::size_t body_bytes_max = 64 * 1024;  // of the answer; the rest is not read
    bool needs_body =
        true;  // if not, an answer counts when its head is there, whatever becomes of its body
};

struct Reply {
    int status = 0;
    std::vector<Header> headers = {};
    std::string body = {};
};

struct OutboundRule {
    bool allow_private = false;  // connect to addresses that are not of the internet
    std::string ca_file = {};    // whom to believe; empty: whom the system believes
    std::shared_ptr<const ClientCertificate> certificate = {};  // who we are, if the server asks
};

enum class CallFailure : std::uint8_t {
    invalid,          // the call itself: a header with a line break, a URL of another kind
    refused_address,  // the rule does not allow where it leads
    unreachable,      // no such name, nobody listens
    untrusted,        // their certificate is not believed, or is of another name; or no ca_file
    // They do not take our certificate, or want one. What that proves about the request is in tls_watch.hpp.
    certificate_refused,
    tls,  // no handshake for another reason
    timeout,
    broken,  // the connection ended, or what came was not HTTP
    cut,     // by the stop
};

struct CallError {
    CallFailure failure = CallFailure::broken;
    // none: nothing of the request left, or nobody can have read it. unknown: it may have arrived.
    Effect effect = Effect::unknown;
    std::string detail = {};  // for operators and for whoever registered the URL
};

std::expected<Reply, CallError> call(
    const Call& call, const OutboundRule& rule, const std::stop_token& stop = {}
);

}  // namespace umavez::outbound
