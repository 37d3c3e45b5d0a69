#include "http/loopback.hpp"

#include "http/message.hpp"

#include <algorithm>
#include <cstddef>

namespace umavez::http {
namespace {

bool is_digits(std::string_view text) noexcept
{
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_port(std::string_view authority) noexcept
{
    const std::size_t colon = authority.rfind(':');
    if (colon == std::string_view::npos || authority.ends_with(']')) return authority;
    return is_digits(authority.substr(colon + 1)) ? authority.substr(0, colon) : authority;
}

}  // namespace

bool is_loopback_authority(std::string_view authority) noexcept
{
    const std::string_view host = without_port(authority);
    if (is_same_header(host, "localhost") || host == "[::1]") return true;
    if (!host.starts_with("127.")) return false;
    return std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

bool speaks_to_loopback(const std::vector<Header>& headers) noexcept
{
    const auto host = find_header(headers, "Host");
    // HTTP/1.0 may leave it out; a browser does not.
    if (host && !is_loopback_authority(*host)) return false;
    const auto origin = find_header(headers, "Origin");
    if (!origin) return true;
    for (const std::string_view scheme :
         {std::string_view{"http://"}, std::string_view{"https://"}}) {
        if (origin->starts_with(scheme))
            return is_loopback_authority(origin->substr(scheme.size()));
    }
    return false;
}

}  // namespace umavez::http
