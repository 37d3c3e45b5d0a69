#include "key_protocol/prefer.hpp"

#include "http/header_syntax.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace umavez::key_protocol {
namespace {

// delta-seconds. A number too large for 63 bits is a long wait like any other beyond the maximum.
std::optional<std::chrono::seconds> parse_seconds(std::string_view text)
{
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error == std::errc::result_out_of_range) return std::chrono::seconds::max();
    return std::chrono::seconds{seconds};
}

}  // namespace

std::optional<Wait> read_wait(const std::vector<Header>& headers, Duration wait_max)
{
    const auto granted_max = std::chrono::floor<std::chrono::seconds>(wait_max);
    if (granted_max <= std::chrono::seconds{0}) return std::nullopt;
    for (const std::string_view preference : http::list_elements(headers, "Prefer")) {
        // A preference may have parameters of its own; wait has none that matter.
        const http::Parameter wish =
            http::split_parameter(http::split_outside_quotes(preference, ';').front());
        if (http::to_lower_ascii(wish.name) != "wait") continue;
        // Of a preference that is given twice the first counts (RFC 7240, 2), even if it is junk.
        const std::optional<std::string> value = http::unquote(wish.value);
        if (!value) return std::nullopt;
        const auto seconds = parse_seconds(*value);
        if (!seconds) return std::nullopt;
        return Wait{std::min(*seconds, granted_max)};
    }
    return std::nullopt;
}

std::string to_preference(const Wait& wait)
{
    return "wait=" + std::to_string(wait.duration.count());
}

}  // namespace umavez::key_protocol
