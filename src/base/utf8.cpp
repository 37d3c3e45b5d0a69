#include "base/utf8.hpp"

namespace umavez {
namespace {

bool is_between(unsigned char byte, unsigned low, unsigned high) noexcept
{
    return byte >= low && byte <= high;
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text) noexcept
{
    if (text.empty()) return 0;
    const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;

    const std::size_t length = is_between(first, 0xc2, 0xdf)   ? 2
                               : is_between(first, 0xe0, 0xef) ? 3
                               : is_between(first, 0xf0, 0xf4) ? 4
                                                               : 0;
    if (length == 0 || text.size() < length) return 0;

    // The second byte excludes overlong forms, surrogates and code points above U+10FFFF.
    const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (!is_between(at(1), low, high)) return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if (!is_between(at(i), 0x80, 0xbf)) return 0;
    }
    return length;
}

bool is_utf8(std::string_view text) noexcept
{
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

char32_t detail::take_long_character(std::string_view& text) noexcept
{
    const std::size_t length = utf8_sequence_length(text);
    // The lead byte of a sequence of n bytes begins with n ones and a zero.
    char32_t character = static_cast<unsigned char>(text[0]) & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    text.remove_prefix(length);
    return character;
}

bool is_control(char32_t character) noexcept
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x2028 ||
           character == 0x2029;
}

bool is_blank(char32_t character) noexcept
{
    switch (character) {
        case U' ':
        case 0x00a0:  // no-break space
        case 0x1680:  // Ogham space mark
        case 0x202f:  // narrow no-break space
        case 0x205f:  // medium mathematical space
        case 0x2060:  // word joiner
        case 0x3000:  // ideographic space
        case 0xfeff:  // zero width no-break space
            return true;
        default: break;
    }
    const bool is_space = character >= 0x2000 && character <= 0x200a;
    const bool is_joiner = character >= 0x200b && character <= 0x200d;
    // Marks and overrides of the direction of writing.
    const bool is_direction = character == 0x200e || character == 0x200f ||
                              (character >= 0x202a && character <= 0x202e) ||
                              (character >= 0x2066 && character <= 0x2069);
    return is_space || is_joiner || is_direction || is_control(character);
}

}  // namespace umavez
