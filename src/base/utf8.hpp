#pragma once

// UTF-8 by the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF; and the two
// kinds of characters that no name is made of. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace umavez {

// The length of the well-formed sequence at the start of `text`, 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

namespace detail {
char32_t take_long_character(std::string_view& text) noexcept;
}

// Takes the first character off `text`, which is valid UTF-8 and not empty.
inline char32_t take_character(std::string_view& text) noexcept
{
    const auto first = static_cast<unsigned char>(text.front());
    if (first >= 0x80) return detail::take_long_character(text);
    text.remove_prefix(1);
    return first;
}

// C0, DEL, C1, and the line and paragraph separators: what would end a line or steer a terminal.
bool is_control(char32_t character) noexcept;

// The property White_Space of Unicode, and the characters that have no width at all: a text of nothing
// else looks empty.
bool is_blank(char32_t character) noexcept;

}  // namespace umavez
