#include "modules/parts/page.hpp"

#include <fmt/format.h>

#include <charconv>

namespace umavez::modules {
namespace {

constexpr std::string_view prefix = "id_";

}  // namespace

std::string to_cursor(std::int64_t last_id)
{
    return fmt::format("{}{:x}", prefix, last_id);
}

std::optional<std::int64_t> parse_cursor(std::string_view cursor) noexcept
{
    if (!cursor.starts_with(prefix)) return std::nullopt;
    const std::string_view digits = cursor.substr(prefix.size());
    std::int64_t id = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, id, 16);
    if (error != std::errc{} || end != last || id < 0) return std::nullopt;
    return id;
}

std::string next_page_link(std::string_view path, std::string_view query, std::string_view cursor)
{
    std::string target{path};
    char separator = '?';
    while (!query.empty()) {
        const std::string_view parameter = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), parameter.size() + 1));
        if (parameter.empty() || parameter.starts_with("cursor=")) continue;
        target += separator;
        target += parameter;
        separator = '&';
    }
    return fmt::format("<{}{}cursor={}>; rel=\"next\"", target, separator, cursor);
}

}  // namespace umavez::modules
