#pragma once

// Money: an amount of 0.00 to 99999999.99, exact. A column DECIMAL(10,2) holds each of them.
//
// It is read from the text of a number, never from a double, and written with two decimals. A plain value;
// the functions are thread-safe.

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace umavez {

enum class MoneyFault : std::uint8_t {
    not_a_number,
    too_many_decimals,
    out_of_range,
};

class Money {
public:
    static constexpr std::int64_t cents_max = 99'999'999'99;

    // A number as JSON writes it. 1500, 1500.0, 1500.00 and 1.5e3 are the same amount; 1500.000 claims a
    // precision that no amount has.
    static std::expected<Money, MoneyFault> parse(std::string_view number);

    static std::expected<Money, MoneyFault> from_cents(std::int64_t cents);

    std::int64_t cents() const noexcept { return cents_; }
    std::string text() const;  // "1500.00"

    friend auto operator<=>(const Money&, const Money&) = default;

private:
    explicit constexpr Money(std::int64_t cents) noexcept : cents_(cents) {}

    std::int64_t cents_;
};

}  // namespace umavez
