#include "webhook/fields.hpp"

#include "base/char_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace umavez::webhook {
namespace {

constexpr CharSet unreserved{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("-._~", byte);
}};

// Nullopt where a "%" is broken.
std::optional<std::string> unescape(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        const std::string_view digits = text.substr(i + 1, 2);
        unsigned char byte = 0;
        const char* const end = digits.data() + digits.size();
        const auto [rest, error] = std::from_chars(digits.data(), end, byte, 16);
        if (digits.size() != 2 || error != std::errc{} || rest != end) return std::nullopt;
        plain += static_cast<char>(byte);
        i += 2;
    }
    return plain;
}

}  // namespace

std::expected<std::optional<std::string>, Refusal> find_field(
    std::string_view form, std::string_view name
)
{
    std::optional<std::string_view> found;
    for (std::size_t begin = 0; begin < form.size();) {
        const std::size_t end = std::min(form.find('&', begin), form.size());
        const std::string_view field = form.substr(begin, end - begin);
        const std::size_t equals = std::min(field.find('='), field.size());
        if (unescape(field.substr(0, equals)) == name) {
            if (found)
                return refuse(Fault::malformed, fmt::format("the field {} is given twice", name));
            found = field.substr(std::min(equals + 1, field.size()));
        }
        begin = end + 1;
    }
    if (!found || found->empty()) return std::nullopt;
    auto value = unescape(*found);
    if (!value) {
        return refuse(
            Fault::malformed,
            fmt::format("the field {} has a \"%\" without two hexadecimal digits", name)
        );
    }
    return value;
}

std::string escape_field(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        if (unreserved.has(c)) {
            escaped += c;
        } else {
            escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return escaped;
}

}  // namespace umavez::webhook
