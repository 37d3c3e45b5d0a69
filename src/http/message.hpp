#pragma once

// Request and Response of the HTTP server, and the functions between them. Free of Asio and Beast.
// Plain values.

#include "base/headers.hpp"

#include <umavez/response.hpp>
#include <umavez/task.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::http {

class SpooledBody;

// A request whose framing was checked and whose body is complete.
struct Request {
    std::string method;
    std::string path;   // begins with "/", still percent-encoded
    std::string query;  // without "?"
    int version_minor = 1;
    std::vector<Header> headers;  // as sent, in order; trailers are dropped
    std::string body;
    // Of an upload, whose `body` is empty (spooled_body.hpp). Null where no body was sent.
    std::shared_ptr<const SpooledBody> spooled = {};
    std::string request_id;
    std::string peer;  // "127.0.0.1:49152"

    // Filled in by the router: the values of {names} in the route, percent-decoded.
    std::vector<std::pair<std::string, std::string>> parameters;
};

// Something the log should know about an answer. Never sent.
struct Note {
    std::string_view name;  // a literal
    std::string value;
};

struct Response {
    int status = 200;
    std::vector<Header> headers;
    std::string body;
    std::vector<Note> notes = {};

    // Filled in by the router: the pattern that matched. Empty: none did.
    std::string_view route = {};
};

// Runs on the connection's thread; what blocks belongs elsewhere. An exception becomes a 500.
using Handler = std::function<Task<Response>(Request)>;

// What the head of a request decides alone. Views are valid as long as whoever was asked.
struct Entry {
    std::optional<Response> refusal = {};  // is given at once; the body is not read
    std::string_view route = {};           // the pattern that matched, if one did
    std::span<const Header> headers = {};  // of what the server itself answers then: 413, 408 …
    // Not 0: the body is an upload, and goes into a file of at most so many bytes.
    std::uint64_t spooled_bytes_max = 0;
};

// Asked before a body is read or asked for that is more than a small and plain one, so that those who
// are refused anyway fill no memory. Has all but the body. On the connection's thread; never blocks.
using Gate = std::function<Entry(const Request& head)>;

using umavez::find_lines;
using umavez::HeaderLines;
using umavez::is_same_header;

// The first header of that name.
std::optional<std::string_view> find_header(
    const std::vector<Header>& headers, std::string_view name
) noexcept;

Response text_response(int status, std::string body);
Response json_response(int status, std::string body);

}  // namespace umavez::http
