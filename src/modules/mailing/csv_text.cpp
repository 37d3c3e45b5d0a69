#include "modules/mailing/csv_text.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <array>

namespace umavez::mailing {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

// Of the bytes 0x80 to 0x9f; the others are those of Latin-1. 0: not defined.
constexpr std::array<char16_t, 32> windows_1252 = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,  //
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,       //
    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,  //
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

// Of U+00C0 to U+00FF; a space where there is none.
constexpr std::string_view unaccented =
    "aaaaaaaceeeeiiii nooooo ouuuuy saaaaaaaceeeeiiii nooooo ouuuuy y";
static_assert(unaccented.size() == 64);

void append_character(std::string& out, char16_t character)
{
    if (character < 0x80) {
        out += static_cast<char>(character);
    } else if (character < 0x800) {
        out += static_cast<char>(0xc0 | character >> 6);
        out += static_cast<char>(0x80 | (character & 0x3f));
    } else {
        out += static_cast<char>(0xe0 | character >> 12);
        out += static_cast<char>(0x80 | (character >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (character & 0x3f));
    }
}

char to_lower_ascii(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool is_blank_byte(char c) noexcept
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// The beginning of the last character of valid UTF-8.
std::size_t last_character(std::string_view text) noexcept
{
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
    return at;
}

bool is_blank_text(std::string_view character) noexcept
{
    const char c = character.front();
    if (static_cast<unsigned char>(c) < 0x80) return is_blank_byte(c);
    return is_blank(take_character(character));
}

}  // namespace

bool is_utf8_text(std::string_view bytes) noexcept
{
    const bool is_ascii =
        std::ranges::none_of(bytes, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    return is_ascii || is_utf8(bytes);
}

std::string from_windows_1252(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 4);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_special = byte >= 0x80 && byte < 0xa0;
        const char16_t character = is_special ? windows_1252[byte - 0x80u] : char16_t{byte};
        if (is_special && character == 0) {
            text += replacement;
        } else {
            append_character(text, character);
        }
    }
    return text;
}

std::string to_utf8_text(std::string_view bytes)
{
    return is_utf8_text(bytes) ? std::string{bytes} : from_windows_1252(bytes);
}

void trim(std::string& text)
{
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t at = last_character(rest);
        if (!is_blank_text(rest.substr(at))) break;
        rest = rest.substr(0, at);
    }
    while (!rest.empty() && is_blank_text(rest)) take_character(rest);
    if (rest.size() == text.size()) return;
    text.erase(0, static_cast<std::size_t>(rest.data() - text.data())).resize(rest.size());
}

std::string fold_name(std::string_view text)
{
    std::string folded;
    while (!text.empty()) {
        const std::string_view before = text;
        const char32_t character = take_character(text);
        if (character == '-' || character == '_' || character == '.' || character == ':') continue;
        if (is_blank(character)) continue;
        if (character >= 0xc0 && character <= 0xff && unaccented[character - 0xc0] != ' ') {
            folded += unaccented[character - 0xc0];
        } else {
            for (const char c : before.substr(0, before.size() - text.size()))
                folded += to_lower_ascii(c);
        }
    }
    return folded;
}

std::string cut_text(std::string_view text, std::size_t characters_max)
{
    std::string cut;
    for (std::size_t count = 0; count < characters_max && !text.empty(); ++count) {
        const std::string_view before = text;
        if (take_character(text) == 0) {
            cut += replacement;
        } else {
            cut += before.substr(0, before.size() - text.size());
        }
    }
    return cut;
}

}  // namespace umavez::mailing
