#pragma once

// Requests to a server under test, written out and read back whole. Confined to its thread.

#include "functional/seen_statuses.hpp"
#include "http/raw_client.hpp"
#include "support/wait.hpp"

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

// Whether somebody was told that nobody knows. Where no effect is named, nobody does.
inline bool is_unsure(const std::string& answer)
{
    return http::status_of(answer) == 503 && answer.find(R"("effect":"none")") == std::string::npos;
}

// The answer to `request`, which `read` reads. A store may be too slow for its limits: then the same
// is asked again, as a client does, unless nobody knows and asking again might do it twice.
template <typename Read>
std::string ask_patiently(std::uint16_t port, const std::string& request, Read read)
{
    const bool may_be_repeated = request.starts_with("GET ") || request.starts_with("HEAD ") ||
                                 request.find("\r\nIdempotency-Key: ") != std::string::npos;
    std::string answer;
    test::wait_until("there is an answer but 503", [&] {
        http::RawClient client{port, static_cast<int>(2 * test::wait_limit().count())};
        client.send(request);
        answer = read(client);
        return http::status_of(answer) != 503 || (is_unsure(answer) && !may_be_repeated);
    });
    note_status(request, answer);
    return answer;
}

inline std::string ask(std::uint16_t port, const Sent& sent)
{
    return ask_patiently(port, to_bytes(sent), [](http::RawClient& client) {
        client.finish_sending();
        return client.read_all();
    });
}

}  // namespace umavez::functional
