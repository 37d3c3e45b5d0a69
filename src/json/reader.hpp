#pragma once

// JsonReader: white space, literals, numbers and strings, one token after the other.
//
// It refuses what the grammar of RFC 8259 and the rules of I-JSON do not allow inside a token, and remembers
// the place and the reason. The tree is built above it, in parser.cpp. Confined to its thread.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace umavez {

// A scalar: where it begins in the text, strings with their quote, and where it ends. For a string that is
// not plain the end is its place among the decoded strings.
struct JsonToken {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool is_plain = true;  // the text is its own canonical form
};

// Decoded strings stand in one text, each after its length in four bytes.
inline std::string_view decoded_string_at(std::string_view decoded, std::uint32_t place) noexcept
{
    std::uint32_t length = 0;
    std::memcpy(&length, decoded.data() + place, sizeof length);
    return decoded.substr(place + sizeof length, length);
}

class JsonReader {
public:
    // Strings with escapes are appended to `decoded`. The text is shorter than 4 GiB.
    JsonReader(std::string_view text, std::string& decoded) noexcept
        : text_(text), at_(text.data()), end_(text.data() + text.size()), decoded_(decoded)
    {
    }

    // The first byte after white space, 0 at the end of the text (and for a byte 0, which no token has).
    char peek() noexcept
    {
        while (at_ != end_ && is_space(*at_)) ++at_;
        return at_ == end_ ? '\0' : *at_;
    }
    void skip() noexcept { ++at_; }  // the byte that was peeked
    bool is_at_end() const noexcept { return at_ == end_; }

    // Each reads one token at the place of peek(), and returns false after refuse().
    bool read_literal(std::string_view literal, JsonToken& token);
    bool read_number(JsonToken& token);
    bool read_string(JsonToken& token);

    bool refuse(std::string_view reason) { return refuse_at(offset(at_), reason); }
    bool refuse_at(std::uint32_t offset, std::string_view reason);
    // "byte 17: …"
    const std::string& refusal() const noexcept { return refusal_; }

private:
    static bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
    std::uint32_t offset(const char* place) const noexcept
    {
        return static_cast<std::uint32_t>(place - text_.data());
    }
    std::uint32_t skip_digits() noexcept;
    bool check_magnitude(JsonToken token);
    bool skip_characters();
    bool decode_string(JsonToken& token);
    bool decode_escape();
    bool decode_unicode_escape(const char* escape);
    bool read_hex(std::uint32_t& unit);

    std::string_view text_;
    const char* at_;
    const char* end_;
    std::string& decoded_;
    std::string refusal_;
};

}  // namespace umavez
