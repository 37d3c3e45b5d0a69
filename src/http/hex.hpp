#pragma once

// Hexadecimal digits. Pure, thread-safe.

namespace umavez::http {

// Below zero: no digit.
constexpr int hex_value(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace umavez::http
