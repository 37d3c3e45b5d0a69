#pragma once

// A second reader of HTTP/1.1 requests (RFC 9110, 9112): strict, slow, and without a line in common with
// src/http.
//
// Differential tests ask both about the same bytes. This one sees all of them at once and keeps nothing
// between two requests. It refuses whatever two servers on one path might read differently. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::reference {

struct HttpLimits {
    std::size_t head_bytes_max = 0;
    std::size_t body_bytes_max = 0;  // as sent, and unpacked
    bool unpacks_gzip = true;
};

struct HttpRequest {
    std::string method{};
    std::string path{};
    std::string query{};
    int version_minor = 1;
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    bool keep_alive = true;

    friend bool operator==(const HttpRequest&, const HttpRequest&) = default;
};

enum class HttpVerdict : std::uint8_t {
    taken,
    waiting,  // more bytes can make it right
    refused,
};

struct HttpReading {
    HttpVerdict verdict = HttpVerdict::waiting;
    HttpRequest request{};
    std::size_t bytes = 0;  // of a request that was taken, with empty lines before it
};

// The first request in `text`.
HttpReading read_http(std::string_view text, const HttpLimits& limits);

// All members of a gzip file, each in one call; nullopt: it is none, is cut, or has more than `bytes_max`.
std::optional<std::string> gunzip(std::string_view packed, std::size_t bytes_max);

}  // namespace umavez::reference
