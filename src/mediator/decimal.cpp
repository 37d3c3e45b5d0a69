#include <umavez/decimal.hpp>

#include <array>
#include <utility>

namespace umavez {
namespace {

constexpr std::size_t digits_max = 18;  // every number of so many digits fits into 64 bits
constexpr std::int64_t units_max = 999'999'999'999'999'999;

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

// Without the zeros at the end of the fraction: one form for each value.
std::pair<std::int64_t, std::uint8_t> shortest(std::int64_t units, std::uint8_t scale) noexcept
{
    while (scale > 0 && units % 10 == 0) {
        units /= 10;
        --scale;
    }
    return {units, scale};
}

std::int64_t power_of_ten(std::uint8_t exponent) noexcept
{
    std::int64_t power = 1;
    for (; exponent > 0; --exponent) power *= 10;
    return power;
}

}  // namespace

Result<Decimal> Decimal::parse(std::string_view text)
{
    const auto refuse = [text] {
        return fail(
            Errc::invalid_argument,
            "\"" + std::string{text.substr(0, 40)} + "\" is no decimal number; write it like 12.50"
        );
    };
    std::string_view rest = text;
    const bool is_negative = rest.starts_with('-');
    if (is_negative) rest.remove_prefix(1);
    std::int64_t units = 0;
    std::size_t digits = 0;
    std::size_t decimals = 0;
    bool is_after_point = false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const char c = rest[i];
        if (c == '.' && !is_after_point && i > 0 && i + 1 < rest.size()) {
            is_after_point = true;
            continue;
        }
        if (!is_digit(c)) return refuse();
        if (units != 0 || c != '0') ++digits;
        if (is_after_point) ++decimals;
        if (digits > digits_max || decimals > scale_max) {
            return fail(
                Errc::limit_exceeded,
                "\"" + std::string{text.substr(0, 40)} + "\" has more than 18 digits"
            );
        }
        units = units * 10 + (c - '0');
    }
    if (rest.empty()) return refuse();
    return Decimal{is_negative ? -units : units, static_cast<std::uint8_t>(decimals)};
}

Result<Decimal> Decimal::from_units(std::int64_t units, std::uint8_t scale)
{
    if (scale > scale_max || units > units_max || units < -units_max) {
        return fail(Errc::limit_exceeded, "a decimal number has at most 18 digits");
    }
    return Decimal{units, scale};
}

std::string Decimal::text() const
{
    // From the last digit to the first.
    std::array<char, 24> text;
    char* at = text.data() + text.size();
    std::int64_t rest = units_ < 0 ? -units_ : units_;
    for (int written = 0; rest > 0 || written <= scale_; ++written, rest /= 10) {
        if (written == scale_ && scale_ > 0) *--at = '.';
        *--at = static_cast<char>('0' + rest % 10);
    }
    if (units_ < 0) *--at = '-';
    return {at, text.data() + text.size()};
}

std::optional<std::int64_t> Decimal::units_at(std::uint8_t scale) const noexcept
{
    auto [units, own_scale] = shortest(units_, scale_);
    if (own_scale > scale || scale > scale_max) return std::nullopt;
    std::int64_t result = 0;
    const auto missing = static_cast<std::uint8_t>(scale - own_scale);
    if (__builtin_mul_overflow(units, power_of_ten(missing), &result)) return std::nullopt;
    return result;
}

std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) noexcept
{
    // Whole parts first, then fractions brought to one scale: neither overflows.
    const std::int64_t left_power = power_of_ten(left.scale_);
    const std::int64_t right_power = power_of_ten(right.scale_);
    const auto whole = left.units_ / left_power <=> right.units_ / right_power;
    if (whole != 0) return whole;
    const auto to_full = [](std::int64_t fraction, std::uint8_t scale) {
        return fraction * power_of_ten(static_cast<std::uint8_t>(Decimal::scale_max - scale));
    };
    return to_full(left.units_ % left_power, left.scale_) <=>
           to_full(right.units_ % right_power, right.scale_);
}

}  // namespace umavez
