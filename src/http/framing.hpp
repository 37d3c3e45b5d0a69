#pragma once

// The rules of RFC 9112 that decide where a request ends, checked on the raw bytes of its head.
//
// Beast 1.81 lets through what another server on the path may read differently: codings other than
// one `chunked`, repeated lengths, folded lines, no Host or two. Every such shape is refused here,
// before Beast sees the head, and the connection is closed. Pure, thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace umavez::http {

struct Refusal {
    int status = 400;
    std::string reason;  // a sentence for the client
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

// How the body is delimited.
struct Framing {
    int version_minor = 1;
    bool chunked = false;
    std::uint64_t content_length = 0;
    bool expects_continue = false;

    bool has_body() const noexcept { return chunked || content_length > 0; }
};

// `head` is what scan_head delimited.
std::variant<Framing, Refusal> check_head(std::string_view head, std::uint64_t body_bytes_max);

// "example.com", "example.com:8080", "[::1]:8080"
bool is_host(std::string_view text) noexcept;

}  // namespace umavez::http
