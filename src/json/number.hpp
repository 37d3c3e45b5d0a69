#pragma once

// The exact decimal value of a JSON number, and its canonical text.
//
// RFC 8785 prints the nearest double, so two different amounts may print alike. Here a number
// prints as a double would only where that loses nothing; otherwise all its digits are kept. Digits
// are views into the text: a number of a megabyte is not copied. Immutable after construction.

#include "json/output.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace umavez {

// whole and fraction, joined, are the significant digits: no zero in front, none behind, none for
// zero.
struct Decimal {
    bool is_negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;  // of the first digit: 250 is 2.5e2

    std::size_t digit_count() const noexcept { return whole.size() + fraction.size(); }
    bool is_zero() const noexcept { return digit_count() == 0; }
};

// Below 1e-999999999999999 a number is refused: no measure is finer, and exponents stay small
// integers.
inline constexpr std::int64_t decimal_exponent_min = -999'999'999'999'999;

// `text` matches the grammar of JSON numbers. An exponent of more than 18 digits becomes one of 18,
// which is beyond every limit as well.
Decimal to_decimal(std::string_view text) noexcept;

// Whether the nearest double is infinite.
bool is_beyond_double(const Decimal& decimal) noexcept;

// Prints a number that is within both limits. Equal values print alike, different values differ.
void print_canonical(const Decimal& decimal, Output& output);

}  // namespace umavez
