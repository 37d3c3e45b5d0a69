#include "fuzz/reference_json.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace umavez::reference {
namespace {

void require(bool condition)
{
    if (!condition) throw std::runtime_error("not I-JSON");
}

class Reader {
public:
    Reader(std::string_view text, std::size_t depth_max) : text_(text), depth_max_(depth_max) {}

    Value read()
    {
        Value value = read_value(0);
        skip_space();
        require(at_ == text_.size());
        return value;
    }

private:
    int peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : -1; }
    int take()
    {
        require(at_ < text_.size());
        return static_cast<unsigned char>(text_[at_++]);
    }
    bool accept(char c) { return peek() == c ? (++at_, true) : false; }
    void skip_space()
    {
        while (accept(' ') || accept('\t') || accept('\n') || accept('\r')) {
        }
    }

    Value read_value(std::size_t depth);
    Value read_object(std::size_t depth);
    Value read_array(std::size_t depth);
    Value read_number();
    std::string read_digits();
    std::u16string read_string();
    char32_t read_code_point(int first);
    char16_t read_escape();

    std::string text_;
    std::size_t depth_max_;
    std::size_t at_ = 0;
};

Value Reader::read_value(std::size_t depth)
{
    skip_space();
    if (peek() == '{') return read_object(depth + 1);
    if (peek() == '[') return read_array(depth + 1);
    if (peek() == '"') return {.kind = '"', .string = read_string()};
    for (const std::string word : {"null", "true", "false"}) {
        if (text_.compare(at_, word.size(), word) == 0) {
            at_ += word.size();
            return {.kind = word[0]};
        }
    }
    return read_number();
}

Value Reader::read_object(std::size_t depth)
{
    require(depth <= depth_max_);
    Value object{.kind = '{'};
    take();
    skip_space();
    if (accept('}')) return object;
    do {
        skip_space();
        require(peek() == '"');
        std::u16string name = read_string();
        skip_space();
        require(accept(':'));
        require(object.members.emplace(std::move(name), read_value(depth)).second);
        skip_space();
    } while (accept(','));
    require(accept('}'));
    return object;
}

Value Reader::read_array(std::size_t depth)
{
    require(depth <= depth_max_);
    Value array{.kind = '['};
    take();
    skip_space();
    if (accept(']')) return array;
    do {
        array.elements.push_back(read_value(depth));
        skip_space();
    } while (accept(','));
    require(accept(']'));
    return array;
}

std::string Reader::read_digits()
{
    std::string digits;
    while (peek() >= '0' && peek() <= '9') digits += static_cast<char>(take());
    require(!digits.empty());
    return digits;
}

Value Reader::read_number()
{
    const std::size_t begin = at_;
    const bool is_negative = accept('-');
    std::string digits = read_digits();
    require(digits.size() == 1 || digits[0] != '0');
    Value number{.kind = '0'};
    if (accept('.')) {
        const std::string fraction = read_digits();
        digits += fraction;
        number.exponent = -static_cast<long long>(fraction.size());
    }
    std::string exponent = "0";
    if (accept('e') || accept('E')) {
        const bool is_exponent_negative = accept('-');
        if (!is_exponent_negative) accept('+');
        exponent = (is_exponent_negative ? "-" : "") + read_digits();
    }
    require(std::isfinite(std::strtod(text_.substr(begin, at_ - begin).c_str(), nullptr)));

    while (digits.starts_with('0')) digits.erase(0, 1);
    if (digits.empty()) return {.kind = '0'};
    try {
        number.exponent += std::stoll(exponent);
    } catch (const std::out_of_range&) {
        require(false);
    }
    // The documented lower limit.
    require(number.exponent + static_cast<long long>(digits.size()) - 1 >= -999'999'999'999'999);
    for (; digits.ends_with('0'); digits.pop_back()) ++number.exponent;
    number.digits = (is_negative ? "-" : "") + digits;
    return number;
}

std::u16string Reader::read_string()
{
    std::u16string units;
    take();
    for (int c = take(); c != '"'; c = take()) {
        require(c >= 0x20);
        if (c == '\\') {
            units += read_escape();
        } else if (const char32_t code_point = read_code_point(c); code_point < 0x10000) {
            require(code_point < 0xd800 || code_point > 0xdfff);
            units += static_cast<char16_t>(code_point);
        } else {
            units += static_cast<char16_t>(0xd7c0 + (code_point >> 10));
            units += static_cast<char16_t>(0xdc00 + (code_point & 0x3ff));
        }
    }
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i] < 0xd800 || units[i] > 0xdfff) continue;
        require(units[i] < 0xdc00 && i + 1 < units.size());
        require(units[i + 1] >= 0xdc00 && units[i + 1] <= 0xdfff);
        ++i;
    }
    return units;
}

char32_t Reader::read_code_point(int first)
{
    if (first < 0x80) return static_cast<char32_t>(first);
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    require(first >= 0xc0 && first < 0xf8);
    char32_t code_point = static_cast<char32_t>(first) & (0x3fu >> more);
    for (int i = 0; i < more; ++i) {
        const int next = take();
        require((next & 0xc0) == 0x80);
        code_point = code_point << 6 | static_cast<char32_t>(next & 0x3f);
    }
    constexpr char32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    require(code_point >= smallest[more] && code_point <= 0x10ffff);
    return code_point;
}

char16_t Reader::read_escape()
{
    const int c = take();
    if (c == 'u') {
        const std::string hex = text_.substr(at_, 4);
        require(hex.find_first_not_of("0123456789abcdefABCDEF") == hex.npos && hex.size() == 4);
        at_ += 4;
        return static_cast<char16_t>(std::stoul(hex, nullptr, 16));
    }
    const std::string_view letters = "\"\\/bfnrt";
    const std::size_t found = letters.find(static_cast<char>(c));
    require(found != letters.npos);
    return static_cast<char16_t>("\"\\/\b\f\n\r\t"[found]);
}

}  // namespace

std::optional<Value> read(std::string_view text, std::size_t depth_max)
{
    try {
        return Reader{text, depth_max}.read();
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

}  // namespace umavez::reference
