#pragma once

// One HTTP exchange as a client: connect, ask, read the answer, close. For the program's own
// commands; blocking, with a deadline, over TLS (certificates and names are checked) where the URL
// says so. The deadline begins when the name is looked up, but does not end the look-up:
// getaddrinfo has the limits of the system's resolver. A server that leaves is an error, never
// SIGPIPE. Thread-safe.

#include "http/message.hpp"

#include <umavez/result.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace umavez::http {

struct ServerUrl {
    bool tls = false;
    std::string host;  // without brackets
    std::string port;
    friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

// "http://127.0.0.1:8080", "https://umavez.example", "http://[::1]:8080/"
Result<ServerUrl> parse_server_url(std::string_view text);

// Method, path, query, headers and body of `request` are sent. store_unavailable: nothing was sent.
// store_unknown: no whole answer came.
Result<Response> exchange(
    const ServerUrl& server, const Request& request, std::chrono::milliseconds deadline
);

}  // namespace umavez::http
