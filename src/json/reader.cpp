#include "json/reader.hpp"

#include "base/utf8.hpp"
#include "json/number.hpp"

#include <fmt/format.h>

#include <cstddef>
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
bool is_usual_spelling(std::string_view number, std::ptrdiff_t fraction_digits) noexcept
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

using Place = JsonReader::Place;

Place JsonReader::refuse_at(std::uint32_t offset, std::string_view reason)
{
    refusal_ = fmt::format("byte {}: {}", offset, reason);
    return nullptr;
}

Place JsonReader::read_number(Place at, JsonNode& node)
{
    if (at == end_) return refuse(at, "the text ends where a value is expected");
    const Place first = at;
    const Place whole = *at == '-' ? at + 1 : at;
    at = skip_digits(whole, end_);
    const std::ptrdiff_t whole_digits = at - whole;
    if (whole_digits == 0) {
        return refuse(at, whole == first ? "expected a value" : "expected a digit");
    }
    if (*whole == '0' && whole_digits > 1) return refuse(whole, "number with a leading zero");

    std::ptrdiff_t fraction_digits = 0;
    if (at != end_ && *at == '.') {
        const Place fraction = at + 1;
        at = skip_digits(fraction, end_);
        fraction_digits = at - fraction;
        if (fraction_digits == 0) return refuse(at, "expected a digit after the point");
    }
    const bool has_exponent = at != end_ && (*at == 'e' || *at == 'E');
    if (has_exponent) {
        ++at;
        if (at != end_ && (*at == '+' || *at == '-')) ++at;
        const Place exponent = at;
        at = skip_digits(exponent, end_);
        if (at == exponent) return refuse(at, "expected a digit in the exponent");
    }

    const bool is_short = whole_digits + fraction_digits <= 15 && !has_exponent;
    const bool is_plain = is_short && is_usual_spelling({first, at}, fraction_digits);
    node = {offset(first), offset(at), JsonKind::number, is_plain};
    return is_short || check_magnitude(node) ? at : nullptr;
}

bool JsonReader::check_magnitude(const JsonNode& number)
{
    const Decimal decimal = to_decimal(text_.substr(number.begin, number.end - number.begin));
    if (is_beyond_double(decimal)) {
        refuse_at(number.begin, "number beyond the range of a double");
        return false;
    }
    if (!decimal.is_zero() && decimal.exponent < decimal_exponent_min) {
        refuse_at(number.begin, "number below 1e-999999999999999");
        return false;
    }
    return true;
}

Place JsonReader::skip_character(Place at)
{
    if (at == end_) return refuse(at, "the text ends inside a string");
    if (static_cast<unsigned char>(*at) < 0x20) return refuse(at, "control character in a string");
    const std::size_t length = utf8_sequence_length({at, end_});
    if (length == 0) return refuse(at, "invalid UTF-8");
    return at + length;
}

// `at` is the first backslash of the string that begins at node.begin.
Place JsonReader::decode_string(Place at, JsonNode& node)
{
    node.end = static_cast<std::uint32_t>(decoded_.size());
    std::uint32_t length = 0;
    decoded_.append(sizeof length, '\0');
    decoded_.append(text_.data() + node.begin + 1, at);
    while (*at == '\\') {
        const Place run = decode_escape(at);
        if (run == nullptr) return nullptr;
        at = skip_characters(run);
        if (at == nullptr) return nullptr;
        decoded_.append(run, at);
    }
    length = static_cast<std::uint32_t>(decoded_.size() - node.end - sizeof length);
    std::memcpy(decoded_.data() + node.end, &length, sizeof length);
    return at + 1;
}

Place JsonReader::decode_escape(Place at)
{
    const Place escape = at++;
    if (at == end_) return refuse(at, "the text ends inside a string");
    switch (*at++) {
        case '"': decoded_ += '"'; return at;
        case '\\': decoded_ += '\\'; return at;
        case '/': decoded_ += '/'; return at;
        case 'b': decoded_ += '\b'; return at;
        case 'f': decoded_ += '\f'; return at;
        case 'n': decoded_ += '\n'; return at;
        case 'r': decoded_ += '\r'; return at;
        case 't': decoded_ += '\t'; return at;
        case 'u': return decode_unicode_escape(escape, at);
        default: return refuse(escape, "unknown escape");
    }
}

Place JsonReader::decode_unicode_escape(Place escape, Place at)
{
    std::uint32_t code_point = 0;
    at = read_hex(at, code_point);
    if (at == nullptr) return nullptr;
    if (is_high_surrogate(code_point)) {
        if (!std::string_view{at, end_}.starts_with("\\u")) return refuse(escape, "lone surrogate");
        std::uint32_t low = 0;
        at = read_hex(at + 2, low);
        if (at == nullptr) return nullptr;
        if (!is_low_surrogate(low)) return refuse(escape, "lone surrogate");
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
    } else if (is_low_surrogate(code_point)) {
        return refuse(escape, "lone surrogate");
    }
    append_utf8(code_point, decoded_);
    return at;
}

Place JsonReader::read_hex(Place at, std::uint32_t& unit)
{
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at) {
        const char c = peek(at);
        const char lower = static_cast<char>(c | 0x20);
        if (is_digit(c)) {
            unit = unit << 4 | static_cast<std::uint32_t>(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            unit = unit << 4 | static_cast<std::uint32_t>(lower - 'a' + 10);
        } else {
            return refuse(at, "expected four hexadecimal digits");
        }
    }
    return at;
}

}  // namespace umavez
