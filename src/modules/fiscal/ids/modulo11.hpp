#pragma once

// The check digit that all Brazilian identifiers share, and the characters they are made of. Pure.
//
// The value of a character is its ASCII code less 48, so that letters, which CNPJs have since July of 2026,
// follow the same arithmetic as digits. A rest of 0 and one of 1 both give the digit 0: of two texts that
// differ in one character, the digit tells nearly all apart, not all.

#include "base/char_set.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::fiscal {

inline constexpr CharSet digits{[](unsigned char c) { return c >= '0' && c <= '9'; }};
inline constexpr CharSet digits_and_capitals{[](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}};

// Weights 2, 3, … `weight_max`, and 2 again, from the right. `text` is of digits and capitals.
constexpr char check_digit(std::string_view text, int weight_max = 9) noexcept
{
    int sum = 0;
    int weight = 2;
    for (std::size_t i = text.size(); i-- > 0;) {
        sum += (text[i] - '0') * weight;
        weight = weight == weight_max ? 2 : weight + 1;
    }
    const int rest = sum % 11;
    return static_cast<char>(rest < 2 ? '0' : '0' + 11 - rest);
}

// Of digits only, and few enough to fit: what the parsers cut out.
constexpr std::int64_t number_of(std::string_view text) noexcept
{
    std::int64_t number = 0;
    for (const char c : text) number = number * 10 + (c - '0');
    return number;
}

// Whether AAMM names a month.
constexpr bool is_year_and_month(std::string_view aamm) noexcept
{
    if (aamm.size() != 4 || !digits.has_all(aamm)) return false;
    const std::int64_t month = number_of(aamm.substr(2));
    return month >= 1 && month <= 12;
}

// `number` with zeros before it: is "" where it does not fit, or is negative.
std::string zero_padded(std::int64_t number, std::size_t width);

// `text` with zeros before it. It is at most `width` long.
inline std::string zero_padded(std::string_view text, std::size_t width)
{
    return std::string(width - text.size(), '0') + std::string{text};
}

}  // namespace umavez::fiscal
