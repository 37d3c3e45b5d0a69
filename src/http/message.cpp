#include "http/message.hpp"

namespace umavez::http {

std::optional<std::string_view> find_header(
    const std::vector<Header>& headers, std::string_view name
) noexcept
{
    for (const Header& header : headers) {
        if (is_same_header(header.name, name)) return header.value;
    }
    return std::nullopt;
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
