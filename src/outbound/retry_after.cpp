#include "outbound/retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <curl/curl.h>
#include <string>

namespace umavez::outbound {
namespace {

constexpr Duration longest = std::chrono::hours{24};

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view text, Instant now)
{
    if (text.empty()) return std::nullopt;
    if (text.find_first_not_of("0123456789") == std::string_view::npos) {
        std::int64_t seconds = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
        const bool is_huge = read.ec != std::errc{} || seconds > 86'400;
        return is_huge ? longest : Duration{std::chrono::seconds{seconds}};
    }
    const std::time_t date = ::curl_getdate(std::string{text}.c_str(), nullptr);
    if (date == -1) return std::nullopt;
    const Instant until{std::chrono::seconds{date}};
    return std::clamp(Duration{until - now}, Duration{0}, longest);
}

}  // namespace umavez::outbound
