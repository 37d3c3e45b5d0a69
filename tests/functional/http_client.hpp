#pragma once

// Requests to a server under test, written out and read back whole. Confined to its thread.

#include "functional/seen_statuses.hpp"
#include "http/raw_client.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace umavez::functional {

struct Sent {
    std::string method = "GET";
    std::string target;
    std::vector<std::string> headers = {};  // "Name: value"
    std::string body = {};
};

inline std::string to_bytes(const Sent& sent)
{
    std::string bytes = fmt::format(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: r-1\r\n", sent.method, sent.target
    );
    for (const std::string& header : sent.headers) bytes += header + "\r\n";
    if (!sent.body.empty()) {
        bytes += fmt::format(
            "Content-Type: application/json\r\nContent-Length: {}\r\n", sent.body.size()
        );
    } else if (sent.method != "GET") {
        bytes += "Content-Length: 0\r\n";
    }
    return bytes + "\r\n" + sent.body;
}

inline std::string ask(std::uint16_t port, const Sent& sent)
{
    http::RawClient client{port};
    const std::string request = to_bytes(sent);
    client.send(request);
    client.finish_sending();
    std::string answer = client.read_all();
    note_status(request, answer);
    return answer;
}

}  // namespace umavez::functional
