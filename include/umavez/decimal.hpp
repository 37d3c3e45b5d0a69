#pragma once

// Decimal: an exact decimal number of up to 18 digits, for amounts of any currency.
//
// It is read from text, never from a double, and keeps the decimals it was written with: 12.50
// prints as 12.50 and equals 12.5. A plain value.

#include <umavez/result.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez {

class Decimal {
public:
    static constexpr std::uint8_t scale_max = 18;

    constexpr Decimal() noexcept = default;  // 0

    // "-12.50": digits, and perhaps a point with digits on both sides. limit_exceeded: more than 18
    // digits.
    static Result<Decimal> parse(std::string_view text);

    // from_units(1250, 2) is 12.50. `scale` is at most scale_max.
    static Result<Decimal> from_units(std::int64_t units, std::uint8_t scale);

    std::string text() const;

    // The number in units of 10^-scale, if that is exact and fits: 12.5 has 1250 units at scale 2.
    std::optional<std::int64_t> units_at(std::uint8_t scale) const noexcept;

    // By value: 12.5 == 12.50.
    friend std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) noexcept;
    friend bool operator==(const Decimal& left, const Decimal& right) noexcept
    {
        return (left <=> right) == 0;
    }

private:
    constexpr Decimal(std::int64_t units, std::uint8_t scale) noexcept
        : units_(units), scale_(scale)
    {
    }

    std::int64_t units_ = 0;
    std::uint8_t scale_ = 0;
};

}  // namespace umavez
