#pragma once

// Text as spreadsheets write it: Windows-1252 where it is no UTF-8, blanks that nobody sees, names that
// mean the same. Pure, thread-safe.

#include <cstddef>
#include <string>
#include <string_view>

namespace umavez::mailing {

bool is_utf8_text(std::string_view bytes) noexcept;  // is_utf8, at once for ASCII

// The five bytes that Windows-1252 does not define become U+FFFD.
std::string from_windows_1252(std::string_view bytes);

// UTF-8, whatever the bytes are.
std::string to_utf8_text(std::string_view bytes);

// Takes blanks off both ends: spaces, tabs, line ends, and those of Unicode, which come from web pages.
void trim(std::string& text);

// What tells column names apart for whoever looks for one by its meaning: in lower case, without accents,
// blanks, and the signs - _ . and :. "E-mail" is "email".
std::string fold_name(std::string_view text);

// The first `characters_max` characters of valid UTF-8. Bytes 0, which PostgreSQL cannot hold, become U+FFFD.
std::string cut_text(std::string_view text, std::size_t characters_max);

}  // namespace umavez::mailing
