#pragma once

// UTF-8 validation by the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
// Thread-safe.

#include <cstddef>
#include <string_view>

namespace umavez {

// The length of the well-formed sequence at the start of `text`, 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

}  // namespace umavez
