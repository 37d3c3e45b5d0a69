#include "webhook/header_text.hpp"

#include "base/char_set.hpp"
#include "base/headers.hpp"
#include "base/limits.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

namespace umavez::webhook {
namespace {

constexpr CharSet token_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("!#$%&'*+-.^_`|~", byte);
}};
constexpr CharSet visible_chars{[](unsigned char byte) { return is_visible(byte); }};

}  // namespace

std::expected<std::optional<std::string_view>, Refusal> find_header(
    std::span<const Header> headers, std::string_view name
)
{
    const HeaderLines found = find_lines(headers, name);
    if (found.count > 1) {
        return refuse(
            Fault::malformed, fmt::format("the header {} is given {} times", name, found.count)
        );
    }
    if (found.value.empty()) return std::nullopt;
    return found.value;
}

std::expected<std::string_view, Refusal> read_signature(
    std::span<const Header> headers, std::string_view name
)
{
    const auto found = find_header(headers, name);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refuse(Fault::unsigned_, fmt::format("there is no header {}", name));
    return **found;
}

bool is_header_name(std::string_view text) noexcept
{
    return !text.empty() && token_chars.has_all(text);
}

Result<Header> make_header(std::string_view name, std::string_view value, std::string_view what)
{
    if (!value.empty() && value.size() <= limits::key_bytes_max && visible_chars.has_all(value)) {
        return Header{std::string{name}, std::string{value}};
    }
    return fail(
        Errc::invalid_argument,
        fmt::format(
            "the {} \"{}\" cannot stand in the header {}; give 1 to {} visible ASCII characters",
            what,
            shown(value),
            name,
            limits::key_bytes_max
        )
    );
}

}  // namespace umavez::webhook
