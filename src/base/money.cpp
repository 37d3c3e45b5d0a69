#include "base/money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace umavez {
namespace {

constexpr std::int64_t decimals = 2;
constexpr std::size_t digits_max = 10;  // of cents_max

// Beyond any amount on either side, and far from the end of an integer.
constexpr std::int64_t exponent_bound = 1'000'000'000'000;

// A number's value is the digits of whole and fraction, joined, × 10^exponent.
struct NumberText {
    bool is_negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;
};

bool take(std::string_view& text, std::string_view any_of)
{
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

std::string_view take_digits(std::string_view& text)
{
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(digits.size());
    return digits;
}

std::int64_t to_exponent(std::string_view digits)
{
    std::int64_t value = 0;
    for (const char digit : digits) value = std::min(value * 10 + (digit - '0'), exponent_bound);
    return value;
}

std::optional<NumberText> split(std::string_view text)
{
    NumberText number;
    number.is_negative = take(text, "-");
    number.whole = take_digits(text);
    if (number.whole.empty() || (number.whole.size() > 1 && number.whole.front() == '0')) {
        return std::nullopt;
    }
    if (take(text, ".")) {
        number.fraction = take_digits(text);
        if (number.fraction.empty()) return std::nullopt;
    }
    if (take(text, "eE")) {
        const bool is_negative = take(text, "-");
        if (!is_negative) take(text, "+");
        const std::string_view digits = take_digits(text);
        if (digits.empty()) return std::nullopt;
        number.exponent = is_negative ? -to_exponent(digits) : to_exponent(digits);
    }
    return text.empty() ? std::optional{number} : std::nullopt;
}

// Nullopt: more digits than any amount has.
std::optional<std::int64_t> join_digits(const NumberText& number)
{
    std::int64_t value = 0;
    std::size_t significant = 0;
    for (const std::string_view part : {number.whole, number.fraction}) {
        for (const char digit : part) {
            if (value == 0 && digit == '0') continue;
            if (++significant > digits_max) return std::nullopt;
            value = value * 10 + (digit - '0');
        }
    }
    return value;
}

}  // namespace

std::expected<Money, MoneyFault> Money::parse(std::string_view number)
{
    const auto parts = split(number);
    if (!parts) return std::unexpected(MoneyFault::not_a_number);
    const std::int64_t written = static_cast<std::int64_t>(parts->fraction.size()) - parts->exponent;
    if (written > decimals) return std::unexpected(MoneyFault::too_many_decimals);
    auto cents = join_digits(*parts);
    if (!cents) return std::unexpected(MoneyFault::out_of_range);
    if (*cents == 0) return Money{0};
    if (parts->is_negative) return std::unexpected(MoneyFault::out_of_range);
    for (std::int64_t missing = decimals - written; missing > 0; --missing) {
        *cents *= 10;
        if (*cents > cents_max) return std::unexpected(MoneyFault::out_of_range);
    }
    return Money{*cents};
}

std::expected<Money, MoneyFault> Money::from_cents(std::int64_t cents)
{
    if (cents < 0 || cents > cents_max) return std::unexpected(MoneyFault::out_of_range);
    return Money{cents};
}

std::string Money::text() const
{
    return fmt::format("{}.{:02}", cents_ / 100, cents_ % 100);
}

}  // namespace umavez
