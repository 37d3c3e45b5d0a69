#pragma once

// Many characters at a time: the loops over text that the speed of the parser depends on. Short
// texts are the rule, so what counts is that their length decides no branch, which the processor
// would guess wrongly. Thread-safe.

#include <bit>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

// Marks the high bit of each byte that is no decimal digit; as mark_special, exact up to the
// lowest.
constexpr std::uint64_t mark_no_digit(std::uint64_t bytes) noexcept
{
    const std::uint64_t below = bytes - each_byte * '0';
    const std::uint64_t above = bytes + each_byte * (0x7f - '9');
    return (below | above | bytes) & each_high_bit;
}

// The first character that is no decimal digit, or `end`.
inline const char* skip_digits(const char* at, const char* end) noexcept
{
    for (; end - at >= 8; at += 8) {
        const std::uint64_t marks = mark_no_digit(load_eight(at));
        if (marks != 0) return at + std::countr_zero(marks) / 8;
    }
    while (at != end && *at >= '0' && *at <= '9') ++at;
    return at;
}

#ifdef __SSE2__
// A bit for each of sixteen characters that is not plain.
inline unsigned mark_special_of_sixteen(const char* text) noexcept
{
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    // Signed: bytes from 0x80 on are below zero, and so below the space as the controls are.
    const __m128i others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
    const __m128i marks = _mm_or_si128(_mm_or_si128(quotes, backslashes), others);
    return static_cast<unsigned>(_mm_movemask_epi8(marks));
}
#endif

// The first character that is not plain, or `end`.
inline const char* find_special(const char* at, const char* end) noexcept
{
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        const unsigned marks = mark_special_of_sixteen(at);
        if (marks != 0) return at + std::countr_zero(marks);
    }
#endif
    for (; end - at >= 8; at += 8) {
        const std::uint64_t marks = mark_special(load_eight(at));
        if (marks != 0) return at + std::countr_zero(marks) / 8;
    }
    while (at != end && (mark_special(static_cast<unsigned char>(*at)) & 0x80) == 0) ++at;
    return at;
}

}  // namespace umavez
