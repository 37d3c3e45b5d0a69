#pragma once

// Base64 with its padding (RFC 4648, section 4). There is one text for each value. Pure, thread-safe.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace umavez {

// Far above what is ever written so: keys, signatures, documents.
inline constexpr std::size_t base64_bytes_max = 64 * 1024 * 1024;

std::string to_base64(std::string_view bytes);

// Nullopt where `text` is not what to_base64 would write: white space, missing padding, stray bits.
std::optional<std::string> parse_base64(std::string_view text);

}  // namespace umavez
