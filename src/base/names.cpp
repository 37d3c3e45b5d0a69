#include <umavez/names.hpp>

#include "base/limits.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace umavez {
namespace {

bool is_name_char(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

Result<std::string> parse_name(std::string_view what, std::string_view text, std::size_t chars_max)
{
    if (text.empty()) return fail(Errc::invalid_argument, fmt::format("{} is empty", what));
    if (text.size() > chars_max) {
        return fail(
            Errc::invalid_argument,
            fmt::format("{} has {} characters, at most {} are allowed", what, text.size(), chars_max)
        );
    }
    if (!std::ranges::all_of(text, is_name_char)) {
        return fail(
            Errc::invalid_argument, fmt::format("{} may only contain a-z, 0-9, '.', '_', '-'", what)
        );
    }
    return std::string{text};
}

// Whether all bytes are in '!' … '~', looked at eight at a time: nearly every key is a UUID or a number.
bool is_visible_ascii(std::string_view text) noexcept
{
    constexpr std::uint64_t each = 0x0101'0101'0101'0101u;
    constexpr auto is_visible = [](std::uint64_t word) noexcept {
        const std::uint64_t too_low = (word - each * '!') & ~word;
        const std::uint64_t too_high = (word + each * (0x7f - '~')) | word;
        return ((too_low | too_high) & (each * 0x80)) == 0;
    };
    std::uint64_t word = each * '!';
    if (text.size() < sizeof word) {
        std::memcpy(&word, text.data(), text.size());
        return is_visible(word);
    }
    for (std::size_t at = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (!is_visible(word)) return false;
    }
    // The end, with some bytes looked at twice: a copy of a fixed size is one instruction.
    std::memcpy(&word, text.data() + text.size() - sizeof word, sizeof word);
    return is_visible(word);
}

}  // namespace

Result<TenantId> TenantId::parse(std::string_view text)
{
    auto name = parse_name("tenant_id", text, limits::tenant_chars_max);
    if (!name) return std::unexpected(name.error());
    return TenantId{*std::move(name)};
}

Result<Operation> Operation::parse(std::string_view text)
{
    auto name = parse_name("operation", text, limits::operation_chars_max);
    if (!name) return std::unexpected(name.error());
    return Operation{*std::move(name)};
}

Result<Key> Key::parse(std::string_view text)
{
    if (text.empty()) return fail(Errc::invalid_argument, "key is empty");
    if (text.size() > limits::key_bytes_max) {
        return fail(
            Errc::invalid_argument,
            fmt::format("key has {} bytes, at most {} are allowed", text.size(), limits::key_bytes_max)
        );
    }
    if (is_visible_ascii(text)) return Key{std::string{text}};
    if (!is_utf8(text)) return fail(Errc::invalid_argument, "key is not valid UTF-8");
    bool is_visible = false;
    for (std::string_view rest = text; !rest.empty();) {
        const char32_t character = take_character(rest);
        if (is_control(character)) {
            return fail(
                Errc::invalid_argument,
                fmt::format(
                    "key contains the control character U+{:04X}",
                    static_cast<std::uint32_t>(character)
                )
            );
        }
        is_visible = is_visible || !is_blank(character);
    }
    if (!is_visible) return fail(Errc::invalid_argument, "key consists of white space only");
    return Key{std::string{text}};
}

}  // namespace umavez
