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
        : text_(text), end_(text.data() + text.size()), decoded_(decoded)
    {
    }

    // The place travels as an argument and a result, so that it stays in a register; a member would be
    // stored and loaded with every step. nullptr is the result of refuse().
    using Place = const char*;

    Place skip_space(Place at) const noexcept
    {
        while (at != end_ && *at <= ' ' && is_space(*at)) ++at;
        return at;
    }
    // The byte at a place; 0 at the end, and for a byte 0, which begins no token.
    char peek(Place at) const noexcept { return at == end_ ? '\0' : *at; }
    bool is_end(Place at) const noexcept { return at == end_; }

    // Each reads one scalar and returns the place after it.
    Place read_literal(Place at, std::string_view literal, JsonKind kind, JsonNode& node)
    {
        if (!std::string_view{at, end_}.starts_with(literal)) return refuse(at, "expected a value");
        node = {offset(at), offset(at + literal.size()), kind, true};
        return at + literal.size();
    }
    // Anything that is no number is refused as no value at all.
    Place read_number(Place at, JsonNode& node);
    // `at` is the opening quote.
    Place read_string(Place at, JsonNode& node)
    {
        const Place opening = at;
        at = skip_characters(at + 1);
        if (at == nullptr) return nullptr;
        node = {offset(opening), offset(at) + 1, JsonKind::string, *at == '"'};
        return node.is_plain ? at + 1 : decode_string(at, node);
    }

    Place refuse(Place at, std::string_view reason) { return refuse_at(offset(at), reason); }
    Place refuse_at(std::uint32_t offset, std::string_view reason);
    // "byte 17: …"
    const std::string& refusal() const noexcept { return refusal_; }

private:
    static bool is_space(char c) noexcept
    {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }
    std::uint32_t offset(Place place) const noexcept
    {
        return static_cast<std::uint32_t>(place - text_.data());
    }
    bool check_magnitude(const JsonNode& number);
    // Stops at the quote or backslash that ends a run of literal characters.
    Place skip_characters(Place at)
    {
        for (;;) {
            at = find_special(at, end_);
            if (at != end_ && (*at == '"' || *at == '\\')) return at;
            at = skip_character(at);
            if (at == nullptr) return nullptr;
        }
    }
    Place skip_character(Place at);  // one that is not plain ASCII
    Place decode_string(Place at, JsonNode& node);
    Place decode_escape(Place at);
    Place decode_unicode_escape(Place escape, Place at);
    Place read_hex(Place at, std::uint32_t& unit);

    std::string_view text_;
    Place end_;
    std::string& decoded_;
    std::string refusal_;
};

}  // namespace umavez
