#pragma once

// JsonReader: white space, literals, numbers and strings, one token after the other.
//
// It refuses what the grammar of RFC 8259 and the rules of I-JSON do not allow inside a token, and
// remembers the place and the reason. The tree is built above it, in parser.cpp.
// Confined to its thread.

#include "json/bytes.hpp"
#include "json/nodes.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez {

class JsonReader {
public:
    // Strings with escapes are appended to `decoded`. The text is shorter than 4 GiB.
    JsonReader(std::string_view text, std::string& decoded) noexcept
        : text_(text), at_(text.data()), end_(text.data() + text.size()), decoded_(decoded)
    {
    }

    // The first byte after white space; 0 at the end, and for a byte 0, which begins no token.
    char peek() noexcept
    {
        while (at_ != end_ && *at_ <= ' ' && is_space(*at_)) ++at_;
        return at_ == end_ ? '\0' : *at_;
    }
    void skip() noexcept { ++at_; }  // the byte that was peeked
    bool is_at_end() const noexcept { return at_ == end_; }

    // Each reads one scalar at the place of peek(), and returns false after refuse().
    bool read_literal(std::string_view literal, JsonKind kind, JsonNode& node);
    // Anything that is no number is refused as no value at all.
    bool read_number(JsonNode& node);
    bool read_string(JsonNode& node)
    {
        const char* const opening = at_++;
        if (!skip_characters()) return false;
        node = {offset(opening), offset(at_) + 1, JsonKind::string, *at_ == '"'};
        if (!node.is_plain) return decode_string(node);
        ++at_;
        return true;
    }

    bool refuse(std::string_view reason) { return refuse_at(offset(at_), reason); }
    bool refuse_at(std::uint32_t offset, std::string_view reason);
    // "byte 17: …"
    const std::string& refusal() const noexcept { return refusal_; }

private:
    static bool is_space(char c) noexcept
    {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }
    std::uint32_t offset(const char* place) const noexcept
    {
        return static_cast<std::uint32_t>(place - text_.data());
    }
    std::uint32_t skip_digits() noexcept;
    bool check_magnitude(const JsonNode& number);
    // Stops at the quote or backslash that ends a run of literal characters.
    bool skip_characters()
    {
        for (;;) {
            at_ = find_special(at_, end_);
            if (at_ != end_ && (*at_ == '"' || *at_ == '\\')) return true;
            if (!skip_character()) return false;
        }
    }
    bool skip_character();  // one that is not plain ASCII
    bool decode_string(JsonNode& node);
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
