#pragma once

// Bytes as text in headers: hexadecimal in lower case, and base64 with its padding (RFC 4648, section 4).
//
// There is one text for each value, so a signature can be compared as text and no bit of it is without
// meaning. Pure, thread-safe.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::webhook {

enum class Encoding : std::uint8_t { hex, base64 };

std::string encode(Encoding encoding, std::string_view bytes);

std::string to_base64(std::string_view bytes);

// Nullopt where `text` is not what to_base64 would write: white space, missing padding, stray bits.
std::optional<std::string> parse_base64(std::string_view text);

// Whether two texts are the same. The time depends on their lengths alone, never on what is in them.
bool is_same_secretly(std::string_view left, std::string_view right) noexcept;

}  // namespace umavez::webhook
