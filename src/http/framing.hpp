#pragma once

// The head of a request, and the rules of RFC 9112 that decide where the request ends.
//
// Beast 1.81 lets through what another server on the path may read differently: codings other than
// one `chunked`, repeated lengths, folded lines, no Host or two. Every such shape is refused here
// and the connection is closed. Pure, thread-safe.

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
    std::string reason;                // a sentence for the client
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
    bool keep_alive = true;

    bool has_body() const noexcept { return chunked || content_length > 0; }
};

// Fills in method, path, query, version and headers. `head` is what scan_head delimited. On a
// refusal the request has what was read up to there.
std::variant<Framing, Refusal> read_head(
    std::string_view head, std::uint64_t body_bytes_max, Request& request
);

// "example.com", "example.com:8080", "[::1]:8080"
bool is_host(std::string_view text) noexcept;

}  // namespace umavez::http
