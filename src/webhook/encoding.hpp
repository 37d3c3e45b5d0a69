#pragma once

// Bytes as text in headers: hexadecimal in lower case, and base64 (base/base64.hpp).
//
// There is one text for each value, so a signature can be compared as text and no bit of it is without
// meaning. Pure, thread-safe.

#include "base/base64.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::webhook {

enum class Encoding : std::uint8_t { hex, base64 };

std::string encode(Encoding encoding, std::string_view bytes);

// Whether two texts are the same. The time depends on their lengths alone, never on what is in them.
bool is_same_secretly(std::string_view left, std::string_view right) noexcept;

}  // namespace umavez::webhook
