#include "key_protocol/replay_headers.hpp"

#include "http/header_syntax.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <array>

namespace umavez::key_protocol {
namespace {

constexpr std::array<std::string_view, 7> replayable_names{
    "Content-Type",
    "Content-Language",
    "Content-Location",
    "Location",
    "ETag",
    "Last-Modified",
    "Link",
};

// RFC 9110, 7.6.1, and what delimits a message. The server writes these itself.
constexpr std::array<std::string_view, 9> connection_names{
    "Connection",
    "Keep-Alive",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Content-Length",
    "Date",
};

// Of these a client must know that they are ours.
constexpr std::array<std::string_view, 4> protocol_names{
    "Idempotent-Replayed",
    "Idempotency-Guarantee",
    "Idempotency-Key-Expires",
    "Preference-Applied",
};

bool is_one_of(auto& names, std::string_view name) noexcept
{
    return std::ranges::any_of(names, [name](std::string_view known) {
        return http::is_same_header(known, name);
    });
}

// CR and LF would begin another header or another answer; no other control character but the tab
// has a place in a value either (RFC 9110, 5.5).
bool is_hostile(const Header& header) noexcept
{
    return !http::is_token(header.name) || !http::value_chars.has_all(header.value);
}

}  // namespace

bool is_replayable(std::string_view name) noexcept
{
    return is_one_of(replayable_names, name);
}

std::vector<Header> replayable_headers(std::vector<Header> headers)
{
    std::vector<std::string> connection;
    for (const std::string_view name : http::list_elements(headers, "Connection")) {
        connection.emplace_back(name);
    }
    std::erase_if(headers, [&connection](const Header& header) {
        return !is_replayable(header.name) || is_hostile(header) ||
               is_one_of(connection, header.name);
    });
    return headers;
}

SplitResponse split_for_record(Response response)
{
    SplitResponse split;
    // Into the values of headers that stay where they are: Connection goes nowhere.
    const std::vector<std::string_view> connection =
        http::list_elements(response.headers, "Connection");
    std::vector<Header> kept;
    for (Header& header : response.headers) {
        if (is_hostile(header) || is_one_of(connection, header.name)) continue;
        if (is_replayable(header.name)) {
            kept.push_back(std::move(header));
        } else if (!is_one_of(connection_names, header.name) &&
                   !is_one_of(protocol_names, header.name)) {
            split.passing.push_back(std::move(header));
        }
    }
    split.kept = std::move(response);
    split.kept.headers = std::move(kept);
    return split;
}

}  // namespace umavez::key_protocol
