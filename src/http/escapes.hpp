#pragma once

// Percent-encoding (RFC 3986, 2.1), as paths have it and as forms have it. Pure, thread-safe.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace umavez::http {

enum class Escapes : std::uint8_t {
    path,  // "+" is itself
    form,  // "+" is a space
};

// The offset of a "%" that two hexadecimal digits do not follow.
using BrokenEscape = std::size_t;

std::expected<std::string, BrokenEscape> decode_escapes(std::string_view text, Escapes kind);

}  // namespace umavez::http
