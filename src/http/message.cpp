#include "http/message.hpp"

namespace umavez::http {
namespace {

char to_lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool is_same_header(std::string_view left, std::string_view right) noexcept
{
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] != right[i] && to_lower(left[i]) != to_lower(right[i])) return false;
    }
    return true;
}

std::optional<std::string_view> find_header(
    const std::vector<Header>& headers, std::string_view name
) noexcept
{
    for (const Header& header : headers) {
        if (is_same_header(header.name, name)) return header.value;
    }
    return std::nullopt;
}

HeaderLines find_lines(const std::vector<Header>& headers, std::string_view name) noexcept
{
    HeaderLines lines;
    for (const Header& header : headers) {
        if (!is_same_header(header.name, name)) continue;
        ++lines.count;
        lines.value = header.value;
    }
    return lines;
}

Response text_response(int status, std::string body)
{
    return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body)};
}

Response json_response(int status, std::string body)
{
    return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

}  // namespace umavez::http
