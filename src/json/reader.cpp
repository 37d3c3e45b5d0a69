#include "json/reader.hpp"

#include "base/utf8.hpp"
#include "json/number.hpp"

#include <fmt/format.h>

#include <cstring>

namespace umavez {
namespace {

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

// Whether a number of up to 15 digits and without an exponent is its own canonical text; true of
// most, and they need no arithmetic. With six places behind the point, or a digit right after it,
// no fraction is small enough for an exponent.
bool is_usual_spelling(std::string_view number, std::size_t fraction_digits) noexcept
{
    if (fraction_digits == 0) return number != "-0";
    const char* const fraction = number.end() - fraction_digits;
    if (number.back() == '0') return false;
    const bool is_below_one = number.starts_with("0.") || number.starts_with("-0.");
    return !is_below_one || fraction_digits <= 6 || *fraction != '0';
}

constexpr bool is_high_surrogate(std::uint32_t unit) noexcept
{
    return unit >= 0xd800 && unit < 0xdc00;
}

constexpr bool is_low_surrogate(std::uint32_t unit) noexcept
{
    return unit >= 0xdc00 && unit < 0xe000;
}

void append_utf8(std::uint32_t code_point, std::string& text)
{
    const auto put = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code_point < 0x80) return put(code_point);
    if (code_point < 0x800) {
        put(0xc0 | code_point >> 6);
    } else {
        if (code_point < 0x10000) {
            put(0xe0 | code_point >> 12);
        } else {
            put(0xf0 | code_point >> 18);
            put(0x80 | (code_point >> 12 & 0x3f));
        }
        put(0x80 | (code_point >> 6 & 0x3f));
    }
    put(0x80 | (code_point & 0x3f));
}

}  // namespace

bool JsonReader::refuse_at(std::uint32_t offset, std::string_view reason)
{
    refusal_ = fmt::format("byte {}: {}", offset, reason);
    return false;
}

bool JsonReader::read_literal(std::string_view literal, JsonKind kind, JsonNode& node)
{
    if (!std::string_view{at_, end_}.starts_with(literal)) return refuse("expected a value");
    node = {offset(at_), offset(at_ + literal.size()), kind, true};
    at_ += literal.size();
    return true;
}

std::uint32_t JsonReader::skip_digits() noexcept
{
    const char* const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return static_cast<std::uint32_t>(at_ - first);
}

bool JsonReader::read_number(JsonNode& node)
{
    if (at_ == end_) return refuse("the text ends where a value is expected");
    const char* const first = at_;
    if (*at_ == '-') ++at_;
    const char* const whole = at_;
    const std::uint32_t whole_digits = skip_digits();
    if (whole_digits == 0) return refuse(whole == first ? "expected a value" : "expected a digit");
    if (*whole == '0' && whole_digits > 1) {
        return refuse_at(offset(whole), "number with a leading zero");
    }

    std::uint32_t fraction_digits = 0;
    if (at_ != end_ && *at_ == '.') {
        ++at_;
        fraction_digits = skip_digits();
        if (fraction_digits == 0) return refuse("expected a digit after the point");
    }
    const bool has_exponent = at_ != end_ && (*at_ == 'e' || *at_ == 'E');
    if (has_exponent) {
        ++at_;
        if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
        if (skip_digits() == 0) return refuse("expected a digit in the exponent");
    }

    const bool is_short = whole_digits + fraction_digits <= 15 && !has_exponent;
    const bool is_plain = is_short && is_usual_spelling({first, at_}, fraction_digits);
    node = {offset(first), offset(at_), JsonKind::number, is_plain};
    return is_short || check_magnitude(node);
}

bool JsonReader::check_magnitude(const JsonNode& number)
{
    const Decimal decimal = to_decimal(text_.substr(number.begin, number.end - number.begin));
    if (is_beyond_double(decimal)) {
        return refuse_at(number.begin, "number beyond the range of a double");
    }
    if (!decimal.is_zero() && decimal.exponent < decimal_exponent_min) {
        return refuse_at(number.begin, "number below 1e-999999999999999");
    }
    return true;
}

bool JsonReader::skip_character()
{
    if (at_ == end_) return refuse("the text ends inside a string");
    if (static_cast<unsigned char>(*at_) < 0x20) return refuse("control character in a string");
    const std::size_t length = utf8_sequence_length({at_, end_});
    if (length == 0) return refuse("invalid UTF-8");
    at_ += length;
    return true;
}

// Continues at the first backslash of the string that begins at node.begin.
bool JsonReader::decode_string(JsonNode& node)
{
    node.end = static_cast<std::uint32_t>(decoded_.size());
    std::uint32_t length = 0;
    decoded_.append(sizeof length, '\0');
    decoded_.append(text_.data() + node.begin + 1, at_);
    while (*at_ == '\\') {
        if (!decode_escape()) return false;
        const char* const run = at_;
        if (!skip_characters()) return false;
        decoded_.append(run, at_);
    }
    ++at_;
    length = static_cast<std::uint32_t>(decoded_.size() - node.end - sizeof length);
    std::memcpy(decoded_.data() + node.end, &length, sizeof length);
    return true;
}

bool JsonReader::decode_escape()
{
    const char* const escape = at_++;
    if (at_ == end_) return refuse("the text ends inside a string");
    switch (*at_++) {
        case '"': decoded_ += '"'; return true;
        case '\\': decoded_ += '\\'; return true;
        case '/': decoded_ += '/'; return true;
        case 'b': decoded_ += '\b'; return true;
        case 'f': decoded_ += '\f'; return true;
        case 'n': decoded_ += '\n'; return true;
        case 'r': decoded_ += '\r'; return true;
        case 't': decoded_ += '\t'; return true;
        case 'u': return decode_unicode_escape(escape);
        default: return refuse_at(offset(escape), "unknown escape");
    }
}

bool JsonReader::decode_unicode_escape(const char* escape)
{
    std::uint32_t code_point = 0;
    if (!read_hex(code_point)) return false;
    if (is_high_surrogate(code_point)) {
        std::uint32_t low = 0;
        if (!std::string_view{at_, end_}.starts_with("\\u")) {
            return refuse_at(offset(escape), "lone surrogate");
        }
        at_ += 2;
        if (!read_hex(low)) return false;
        if (!is_low_surrogate(low)) return refuse_at(offset(escape), "lone surrogate");
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
    } else if (is_low_surrogate(code_point)) {
        return refuse_at(offset(escape), "lone surrogate");
    }
    append_utf8(code_point, decoded_);
    return true;
}

bool JsonReader::read_hex(std::uint32_t& unit)
{
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
        const char c = at_ == end_ ? '\0' : *at_;
        const char lower = static_cast<char>(c | 0x20);
        if (is_digit(c)) {
            unit = unit << 4 | static_cast<std::uint32_t>(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            unit = unit << 4 | static_cast<std::uint32_t>(lower - 'a' + 10);
        } else {
            return refuse("expected four hexadecimal digits");
        }
    }
    return true;
}

}  // namespace umavez
