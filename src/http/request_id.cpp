#include "http/request_id.hpp"

#include "base/uuid.hpp"

#include <algorithm>

namespace umavez::http {
namespace {

constexpr std::size_t request_id_chars_max = 128;

bool is_sane(std::string_view text) noexcept
{
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"._:+/=@-"}.find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= request_id_chars_max &&
           std::ranges::all_of(text, is_allowed);
}

}  // namespace

std::string choose_request_id(const std::vector<Header>& headers)
{
    const HeaderLines given = find_lines(headers, "X-Request-Id");
    if (given.count == 1 && is_sane(given.value)) return std::string{given.value};
    return make_uuid7(system_clock().realtime(), system_random());
}

}  // namespace umavez::http
