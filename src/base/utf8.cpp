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

}  // namespace umavez
