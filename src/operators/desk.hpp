#pragma once

// Desk: where a command of an operator is taken to. The same questions and answers
// (operator_routes.hpp) whether a server is asked over HTTP, a process on this machine through the
// control socket of its database, or the database itself, which nobody else has open. Confined to
// its thread.

#include <umavez/result.hpp>

#include <memory>
#include <string>

namespace umavez::operators {

struct Wish {
    std::string method = "GET";
    std::string path;   // percent-encoded
    std::string query;  // percent-encoded, without "?"
    std::string body;   // JSON, or empty
};

struct Reply {
    int status = 200;
    std::string body;  // JSON; problem+json from 400 on
};

class Desk {
public:
    virtual ~Desk() = default;

    // store_unavailable: nobody took the wish. store_unknown: it was taken, and no answer came.
    virtual Result<Reply> ask(const Wish& wish) = 0;
};

// Over HTTP: `url` is "http://host:port" or "https://…"; `token` may be empty.
Result<std::unique_ptr<Desk>> make_http_desk(const std::string& url, std::string token);

// Through the control socket at `path`. store_unavailable: nobody listens there. `by`: who asks,
// for the audit.
Result<std::unique_ptr<Desk>> make_socket_desk(std::string path, std::string by);

// A wish as a line of the control socket, and its answer.
std::string to_line(const Wish& wish, const std::string& by);
std::string to_line(const Reply& reply);
struct TakenWish {
    Wish wish;
    std::string by;
};
Result<TakenWish> parse_wish(const std::string& line);
Result<Reply> parse_reply(const std::string& line);

// "a/b" → "a%2Fb": one segment of a path, or one value of a query.
std::string percent_encode(std::string_view text);

}  // namespace umavez::operators
