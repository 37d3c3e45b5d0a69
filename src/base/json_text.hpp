#pragma once

// JSON strings for output: log lines, problem details. Whatever the bytes, the result is valid
// JSON. Thread-safe.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace umavez {

// Appends `text` in quotes. Control characters are escaped, bytes that are not UTF-8 become U+FFFD.
// A text longer than `bytes_max` is cut at a character and ends with "…".
void append_json_text(
    std::string& out,
    std::string_view text,
    std::size_t bytes_max = std::numeric_limits<std::size_t>::max()
);

std::string to_json_text(std::string_view text);

}  // namespace umavez
