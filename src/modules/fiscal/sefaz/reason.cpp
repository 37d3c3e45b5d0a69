#include "modules/fiscal/sefaz/reason.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::sefaz {
namespace {

constexpr std::size_t chars_min = 15;
constexpr std::size_t chars_max = 255;

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, "the reason (xJust) " + std::move(why));
}

}  // namespace

Result<std::string_view> check_reason(std::string_view text)
{
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (!is_utf8(text)) return refuse("must be UTF-8");
    std::size_t count = 0;
    for (std::string_view rest = text; !rest.empty(); ++count) {
        const char32_t character = take_character(rest);
        if (character < 0x20 || character > 0xff || is_control(character)) {
            return refuse("may have letters, digits and signs of Latin-1, on one line");
        }
    }
    if (count < chars_min || count > chars_max) {
        return refuse(
            fmt::format("must have {} to {} characters, not {}", chars_min, chars_max, count)
        );
    }
    return text;
}

}  // namespace umavez::fiscal::sefaz
