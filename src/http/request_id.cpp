#include "http/request_id.hpp"

#include "base/char_set.hpp"
#include "base/uuid.hpp"

namespace umavez::http {
namespace {

constexpr std::size_t request_id_chars_max = 128;

constexpr CharSet allowed{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("._:+/=@-", byte);
}};

bool is_sane(std::string_view text) noexcept
{
    return !text.empty() && text.size() <= request_id_chars_max && allowed.has_all(text);
}

}  // namespace

std::string choose_request_id(const std::vector<Header>& headers)
{
    const HeaderLines given = find_lines(headers, "X-Request-Id");
    if (given.count == 1 && is_sane(given.value)) return std::string{given.value};
    return make_uuid7(system_clock().realtime(), system_random());
}

}  // namespace umavez::http
