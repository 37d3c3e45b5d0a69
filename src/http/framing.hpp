#pragma once

// The head of a request, and the rules of RFC 9112 that decide where the request ends.
//
// Beast 1.81 lets through what another server on the path may read differently: codings other than
// one `chunked`, repeated lengths, folded lines, no Host or two. Every such shape is refused here
// and the connection is closed. Pure, thread-safe.

#include "http/language.hpp"
#include "http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace umavez::http {

struct Refusal {
    int status = 400;
    Text reason;                       // a sentence for the client
    std::vector<Header> headers = {};  // that the answer must carry
};

struct NeedMore {};
struct HeadEnd {
    std::size_t bytes = 0;  // the head with its empty line
};

// Looks for the end of the head in what has arrived. A line that ends with LF alone is refused at
// once: waiting for the rest would only be cut by the deadline.
std::variant<NeedMore, HeadEnd, Refusal> scan_head(
    std::string_view arrived, std::size_t head_bytes_max
);

// How the body is delimited and packed, and what becomes of the connection.
struct Framing {
    bool chunked = false;
    std::uint64_t content_length = 0;
    bool expects_continue = false;
    bool gzip = false;
    bool packed_otherwise = false;  // in a coding that nobody here unpacks
    bool keep_alive = true;

    bool has_body() const noexcept { return chunked || content_length > 0; }
};

// Fills in method, path, query, version and headers. `head` is what scan_head delimited. On a
// refusal the request has what was read up to there.
std::variant<Framing, Refusal> read_head(std::string_view head, Request& request);

// Whether the body that a head announces would be taken: 413, 415. Apart from read_head, because
// whoever may not come in is not told how large a body may be.
std::optional<Refusal> check_body(const Framing& framing, std::uint64_t body_bytes_max);

// One line of a head or of trailers, without its end: "Name: value".
struct FieldLine {
    std::string_view name;
    std::string_view value;  // without the spaces around it
};
std::variant<FieldLine, Refusal> parse_field(std::string_view line);

// "example.com", "example.com:8080", "[::1]:8080"
bool is_host(std::string_view text) noexcept;

}  // namespace umavez::http
