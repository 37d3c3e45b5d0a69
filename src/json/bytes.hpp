#pragma once

// Eight characters at a time: the two loops over text that the speed of the parser depends on.
// Thread-safe.

#include <bit>
#include <cstdint>
#include <cstring>

namespace umavez {

inline constexpr std::uint64_t each_byte = 0x0101010101010101;
inline constexpr std::uint64_t each_high_bit = each_byte * 0x80;

// The first character is the lowest byte. At least eight characters stand at `text`.
inline std::uint64_t load_eight(const char* text) noexcept
{
    std::uint64_t bytes;
    std::memcpy(&bytes, text, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = std::byteswap(bytes);
    return bytes;
}

// Marks the high bit of each byte that is not plain in a string: a quote, a backslash, a control
// character or a part of a longer UTF-8 sequence. Borrows may mark bytes above the lowest mark,
// never below it.
constexpr std::uint64_t mark_special(std::uint64_t bytes) noexcept
{
    const std::uint64_t controls = bytes - each_byte * 0x20;
    const std::uint64_t quotes = (bytes ^ each_byte * '"') - each_byte;
    const std::uint64_t backslashes = (bytes ^ each_byte * '\\') - each_byte;
    return (controls | quotes | backslashes | bytes) & each_high_bit;
}

// The first character that is not plain, or `end`.
inline const char* find_special(const char* at, const char* end) noexcept
{
    for (; end - at >= 8; at += 8) {
        const std::uint64_t marks = mark_special(load_eight(at));
        if (marks != 0) return at + std::countr_zero(marks) / 8;
    }
    while (at != end && (mark_special(static_cast<unsigned char>(*at)) & 0x80) == 0) ++at;
    return at;
}

}  // namespace umavez
