#include "json/reader.hpp"

#include "base/utf8.hpp"
#include "json/number.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace umavez {
namespace {

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

// Marks the high bit of each byte that is not a plain character: a quote, a backslash, a control character
// or a part of a longer UTF-8 sequence. Borrows may mark bytes above the lowest mark, never below.
std::uint64_t mark_special(std::uint64_t bytes) noexcept
{
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t highs = 0x8080808080808080;
    const std::uint64_t controls = bytes - ones * 0x20;
    const std::uint64_t quotes = (bytes ^ ones * '"') - ones;
    const std::uint64_t backslashes = (bytes ^ ones * '\\') - ones;
    return (controls | quotes | backslashes | bytes) & highs;
}

bool is_special(char c) noexcept
{
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x80 ||
           c == '"' || c == '\\';
}

const char* find_special(const char* at, const char* end) noexcept
{
    if constexpr (std::endian::native == std::endian::little) {
        while (end - at >= 8) {
            std::uint64_t bytes;
            std::memcpy(&bytes, at, 8);
            const std::uint64_t marks = mark_special(bytes);
            if (marks != 0) return at + std::countr_zero(marks) / 8;
            at += 8;
        }
    }
    while (at != end && !is_special(*at)) ++at;
    return at;
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

bool JsonReader::read_literal(std::string_view literal, JsonToken& token)
{
    if (!std::string_view{at_, end_}.starts_with(literal)) return refuse("expected a value");
    token = {.begin = offset(at_), .end = offset(at_ + literal.size())};
    at_ += literal.size();
    return true;
}

std::uint32_t JsonReader::skip_digits() noexcept
{
    const char* const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return static_cast<std::uint32_t>(at_ - first);
}

bool JsonReader::read_number(JsonToken& token)
{
    const char* const first = at_;
    if (*at_ == '-') ++at_;
    const char* const whole = at_;
    const std::uint32_t whole_digits = skip_digits();
    if (whole_digits == 0) return refuse("expected a digit");
    const bool is_below_one = *whole == '0';
    if (is_below_one && whole_digits > 1) return refuse_at(offset(whole), "number with a leading zero");

    std::uint32_t fraction_digits = 0;
    if (at_ != end_ && *at_ == '.') {
        ++at_;
        fraction_digits = skip_digits();
        if (fraction_digits == 0) return refuse("expected a digit after the point");
    }
    const char* const last = at_ - 1;
    const bool has_exponent = at_ != end_ && (*at_ == 'e' || *at_ == 'E');
    if (has_exponent) {
        ++at_;
        if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
        if (skip_digits() == 0) return refuse("expected a digit in the exponent");
    }

    // Up to 15 digits in the usual spelling: the text is canonical and needs no arithmetic. With six
    // places behind the point, or a digit right after it, no fraction needs an exponent.
    const bool is_short = whole_digits + fraction_digits <= 15 && !has_exponent;
    const bool is_usual = fraction_digits == 0
                              ? *first != '-' || !is_below_one
                              : *last != '0' && (!is_below_one || fraction_digits <= 6 ||
                                                 last[1 - static_cast<int>(fraction_digits)] != '0');
    token = {.begin = offset(first), .end = offset(at_), .is_plain = is_short && is_usual};
    return is_short || check_magnitude(token);
}

bool JsonReader::check_magnitude(JsonToken token)
{
    const Decimal decimal = to_decimal(text_.substr(token.begin, token.end - token.begin));
    if (is_beyond_double(decimal)) return refuse_at(token.begin, "number beyond the range of a double");
    if (!decimal.is_zero() && decimal.exponent < decimal_exponent_min) {
        return refuse_at(token.begin, "number with an exponent of more than 15 digits");
    }
    return true;
}

// Stops at the quote or backslash that ends a run of literal characters.
bool JsonReader::skip_characters()
{
    for (;;) {
        at_ = find_special(at_, end_);
        if (at_ == end_) return refuse("the text ends inside a string");
        if (*at_ == '"' || *at_ == '\\') return true;
        if (static_cast<unsigned char>(*at_) < 0x20) return refuse("control character in a string");
        const std::size_t length = utf8_sequence_length({at_, end_});
        if (length == 0) return refuse("invalid UTF-8");
        at_ += length;
    }
}

bool JsonReader::read_string(JsonToken& token)
{
    const char* const opening = at_++;
    if (!skip_characters()) return false;
    token = {.begin = offset(opening), .end = offset(at_) + 1, .is_plain = *at_ == '"'};
    if (!token.is_plain) return decode_string(token);
    ++at_;
    return true;
}

// Continues at the first backslash of the string that begins at token.begin.
bool JsonReader::decode_string(JsonToken& token)
{
    token.end = static_cast<std::uint32_t>(decoded_.size());
    std::uint32_t length = 0;
    decoded_.append(sizeof length, '\0');
    decoded_.append(text_.data() + token.begin + 1, at_);
    while (*at_ == '\\') {
        if (!decode_escape()) return false;
        const char* const run = at_;
        if (!skip_characters()) return false;
        decoded_.append(run, at_);
    }
    ++at_;
    length = static_cast<std::uint32_t>(decoded_.size() - token.end - sizeof length);
    std::memcpy(decoded_.data() + token.end, &length, sizeof length);
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
