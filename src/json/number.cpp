#include "json/number.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>

namespace umavez {
namespace {

// A double has at most 17 digits, and every decimal of up to 15 is the shortest text of its nearest
// double.
constexpr std::size_t digits_always_kept = 15;
constexpr std::size_t digits_of_double_max = 17;

// The midpoint above the largest double has 309 digits; further ones do not decide about infinity.
constexpr std::size_t digits_that_decide = 309;

// Below 1e-6 and from 1e+21 on, ECMAScript writes an exponent.
constexpr std::int64_t exponent_positional_min = -6;
constexpr std::int64_t exponent_positional_max = 20;

std::int64_t to_exponent(std::string_view text) noexcept
{
    const bool is_negative = text.front() == '-';
    if (is_negative || text.front() == '+') text.remove_prefix(1);
    constexpr std::int64_t clamp = 100'000'000'000'000'000;
    std::int64_t exponent = 0;
    for (const char digit : text) {
        exponent = std::min(exponent * 10 + (digit - '0'), clamp);
    }
    return is_negative ? -exponent : exponent;
}

// The first digits in scientific notation, cut after `digits_that_decide`.
class Scientific {
public:
    explicit Scientific(const Decimal& decimal) noexcept
    {
        append(decimal.whole);
        append(decimal.fraction);
        *end_++ = 'e';
        // A value far outside the range of doubles is as good as one just outside.
        const auto exponent = std::clamp<std::int64_t>(decimal.exponent, -999, 999);
        end_ = std::to_chars(end_, std::end(text_), exponent).ptr;
    }

    std::errc to_double(double& value) const noexcept
    {
        return std::from_chars(text_, end_, value).ec;
    }

    friend bool operator==(const Scientific& left, const Scientific& right) noexcept
    {
        return std::ranges::equal(left.text(), right.text());
    }

private:
    std::span<const char> text() const noexcept { return {text_, end_}; }

    void append(std::string_view digits) noexcept
    {
        for (const char digit : digits.substr(0, digits_that_decide - count_)) {
            *end_++ = digit;
            if (++count_ == 1) *end_++ = '.';
        }
    }

    char text_[digits_that_decide + 16];
    char* end_ = text_;
    std::size_t count_ = 0;
};

// Whether the shortest text of the nearest double denotes this very value. The exponent is a
// positional one.
bool is_kept_by_double(const Decimal& decimal) noexcept
{
    if (decimal.digit_count() <= digits_always_kept) return true;
    if (decimal.digit_count() > digits_of_double_max) return false;
    const Scientific written{decimal};
    double value = 0;
    if (written.to_double(value) != std::errc{}) return false;
    char text[32];
    const char* const end =
        std::to_chars(std::begin(text), std::end(text), value, std::chars_format::scientific).ptr;
    return written == Scientific{to_decimal({text, end})};
}

void append_zeros(std::int64_t count, Output& output)
{
    for (; count > 0; --count) output.append('0');
}

// At most 17 digits.
void print_positional(const Decimal& decimal, Output& output)
{
    char digits[digits_of_double_max];
    char* const end =
        std::ranges::copy(decimal.fraction, std::ranges::copy(decimal.whole, digits).out).out;
    const std::string_view all{digits, end};
    if (decimal.exponent < 0) {
        output.append("0.");
        append_zeros(-decimal.exponent - 1, output);
        output.append(all);
        return;
    }
    const auto whole_digits = static_cast<std::size_t>(decimal.exponent) + 1;
    output.append(all.substr(0, whole_digits));
    if (all.size() > whole_digits) {
        output.append('.');
        output.append(all.substr(whole_digits));
    } else {
        append_zeros(static_cast<std::int64_t>(whole_digits - all.size()), output);
    }
}

void print_exponential(const Decimal& decimal, Output& output)
{
    const bool has_whole = !decimal.whole.empty();
    const std::string_view first = has_whole ? decimal.whole : decimal.fraction;
    output.append(first.front());
    if (decimal.digit_count() > 1) {
        output.append('.');
        output.append(first.substr(1));
        if (has_whole) output.append(decimal.fraction);
    }
    output.append(decimal.exponent < 0 ? "e-" : "e+");
    char exponent[20];
    const char* const end =
        std::to_chars(std::begin(exponent), std::end(exponent), std::abs(decimal.exponent)).ptr;
    output.append({exponent, end});
}

}  // namespace

Decimal to_decimal(std::string_view text) noexcept
{
    Decimal decimal;
    decimal.is_negative = text.front() == '-';
    if (decimal.is_negative) text.remove_prefix(1);
    std::int64_t exponent = 0;
    // Not find_first_of: with it a megabyte of digits takes 5 ms, so 1 ms.
    if (const auto e = std::min(text.find('e'), text.find('E')); e != text.npos) {
        exponent = to_exponent(text.substr(e + 1));
        text = text.substr(0, e);
    }
    const auto point = std::min(text.find('.'), text.size());
    decimal.whole = text.substr(0, point);
    decimal.fraction = text.substr(std::min(point + 1, text.size()));
    decimal.fraction = decimal.fraction.substr(0, decimal.fraction.find_last_not_of('0') + 1);
    decimal.exponent = exponent + static_cast<std::int64_t>(decimal.whole.size()) - 1;
    if (decimal.whole == "0") {
        const auto zeros =
            std::min(decimal.fraction.find_first_not_of('0'), decimal.fraction.size());
        decimal.whole = {};
        decimal.fraction.remove_prefix(zeros);
        decimal.exponent = exponent - static_cast<std::int64_t>(zeros) - 1;
    } else if (decimal.fraction.empty()) {
        decimal.whole = decimal.whole.substr(0, decimal.whole.find_last_not_of('0') + 1);
    }
    return decimal;
}

bool is_beyond_double(const Decimal& decimal) noexcept
{
    constexpr std::int64_t exponent_of_largest = 308;
    if (decimal.is_zero() || decimal.exponent < exponent_of_largest) return false;
    double value = 0;
    return Scientific{decimal}.to_double(value) == std::errc::result_out_of_range;
}

void print_canonical(const Decimal& decimal, Output& output)
{
    if (decimal.is_zero()) return output.append('0');
    if (decimal.is_negative) output.append('-');
    const bool is_positional =
        decimal.exponent >= exponent_positional_min && decimal.exponent <= exponent_positional_max;
    // A double outside the positional range prints its digits like any other decimal.
    if (is_positional && is_kept_by_double(decimal)) {
        print_positional(decimal, output);
    } else {
        print_exponential(decimal, output);
    }
}

}  // namespace umavez
