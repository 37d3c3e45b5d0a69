// Random documents, each spelled at random: members shuffled, characters escaped, numbers shifted,
// space strewn in. What is equal and what is accepted is decided by the reader of tests/fuzz.

#include "fuzz/reference_json.hpp"

#include <umavez/fingerprint.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace umavez {
namespace {

struct Document {
    char kind;             // as in reference::Value
    std::string digits{};  // a number is digits × 10^exponent
    int exponent = 0;
    std::vector<char32_t> string{};
    std::vector<Document> elements{};
    std::map<std::vector<char32_t>, Document> members{};
};

int draw(int below)
{
    return *rc::gen::inRange(0, below);
}

std::vector<char32_t> draw_string()
{
    const auto character = rc::gen::oneOf(
        rc::gen::inRange<char32_t>(0, 0x80),
        rc::gen::inRange<char32_t>(0x80, 0xd800),
        rc::gen::inRange<char32_t>(0xe000, 0x10000),
        rc::gen::inRange<char32_t>(0x10000, 0x110000)
    );
    return *rc::gen::container<std::vector<char32_t>>(character);
}

Document draw_number()
{
    Document number{.kind = '0'};
    const int digits = *rc::gen::element(1, 2, 3, 15, 16, 17, 18, 30);
    for (int i = 0; i < digits; ++i) number.digits += static_cast<char>('0' + draw(10));
    number.exponent = draw(2) == 0 ? -2 : draw(500) - 250;
    return number;
}

Document draw_document(int depth)
{
    const char kind = "ntf0\"[{"[draw(depth == 0 ? 5 : 7)];
    if (kind == '0') return draw_number();
    Document document{.kind = kind};
    if (kind == '"') document.string = draw_string();
    for (int i = kind == '[' ? draw(4) : 0; i > 0; --i) {
        document.elements.push_back(draw_document(depth - 1));
    }
    for (int i = kind == '{' ? draw(4) : 0; i > 0; --i) {
        document.members.emplace(draw_string(), draw_document(depth - 1));
    }
    return document;
}

std::string spell_unit(unsigned unit)
{
    return draw(2) == 0 ? fmt::format("\\u{:04x}", unit) : fmt::format("\\u{:04X}", unit);
}

std::string spell(char32_t character)
{
    const auto code = static_cast<unsigned>(character);
    const bool must_escape = code < 0x20 || code == '"' || code == '\\';
    if (code == '/' && draw(2) == 0) return "\\/";
    if (must_escape || draw(4) == 0) {
        if (code < 0x10000) return spell_unit(code);
        return spell_unit(0xd7c0 + (code >> 10)) + spell_unit(0xdc00 + (code & 0x3ff));
    }
    const auto byte = [](unsigned value) { return std::string(1, static_cast<char>(value)); };
    if (code < 0x80) return byte(code);
    const std::string last = byte(0x80 | (code & 0x3f));
    if (code < 0x800) return byte(0xc0 | code >> 6) + last;
    const std::string middle = byte(0x80 | (code >> 6 & 0x3f)) + last;
    if (code < 0x10000) return byte(0xe0 | code >> 12) + middle;
    return byte(0xf0 | code >> 18) + byte(0x80 | (code >> 12 & 0x3f)) + middle;
}

std::string spell(const std::vector<char32_t>& string)
{
    std::string text = "\"";
    for (const char32_t character : string) text += spell(character);
    return text + '"';
}

std::string spell_number(std::string digits, int exponent)
{
    for (int i = draw(3); i > 0; --i) {
        digits += '0';
        --exponent;
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    // The point may stand anywhere, the exponent makes up for it.
    if (const int places = draw(static_cast<int>(digits.size())); places > 0) {
        digits.insert(digits.size() - static_cast<std::size_t>(places), ".");
        exponent += places;
    }
    if (exponent == 0 && draw(2) == 0) return digits;
    return fmt::format("{}{}{:+}", digits, draw(2) == 0 ? 'e' : 'E', exponent);
}

std::string space()
{
    return *rc::gen::element<std::string>("", "", "", " ", "\n", "\t\r");
}

std::string spell(const Document& document)
{
    switch (document.kind) {
        case 'n': return "null";
        case 't': return "true";
        case 'f': return "false";
        case '0': return spell_number(document.digits, document.exponent);
        case '"': return spell(document.string);
        default: break;
    }
    const bool is_array = document.kind == '[';
    std::vector<std::string> parts;
    for (const Document& element : document.elements) parts.push_back(spell(element));
    for (const auto& [name, value] : document.members) {
        parts.push_back(spell(name) + space() + ':' + space() + spell(value));
        std::swap(
            parts.back(), parts[static_cast<std::size_t>(draw(static_cast<int>(parts.size())))]
        );
    }
    return fmt::format(
        "{0}{2}{3}{2}{1}",
        document.kind,
        is_array ? ']' : '}',
        space(),
        fmt::join(parts, space() + ',' + space())
    );
}

RC_GTEST_PROP(JsonProperty, SpellingsOfOneDocumentAreOne, ())
{
    const Document document = draw_document(3);
    const std::string left = space() + spell(document);
    const std::string right = spell(document) + space();

    RC_ASSERT(canonical_json(left).has_value());
    RC_ASSERT(*canonical_json(left) == *canonical_json(right));
    RC_ASSERT(*fingerprint_json(left) == *fingerprint_json(right));
}

RC_GTEST_PROP(JsonProperty, TheCanonicalTextKeepsTheMeaningAndIsAFixedPoint, ())
{
    const std::string text = spell(draw_document(3));

    const std::string canonical = canonical_json(text).value();

    RC_ASSERT(reference::read(canonical) == reference::read(text));
    RC_ASSERT(canonical_json(canonical).value() == canonical);
    RC_ASSERT(canonical.find_first_of("\n\t\r") == canonical.npos);
}

RC_GTEST_PROP(JsonProperty, NumbersAreEqualIfAndOnlyIfTheirDecimalsAre, ())
{
    const Document number = draw_number();
    std::string neighbour = number.digits;
    neighbour.back() = static_cast<char>('0' + draw(10));
    const std::string left = spell_number(number.digits, number.exponent);
    const std::string right = spell_number(neighbour, number.exponent);

    const bool is_equal = reference::read(left) == reference::read(right);

    RC_ASSERT((number.digits == neighbour) == is_equal);
    RC_ASSERT((*fingerprint_json(left) == *fingerprint_json(right)) == is_equal);
}

RC_GTEST_PROP(JsonProperty, DamagedTextsAreAcceptedAsTheReferenceAcceptsThem, ())
{
    std::string text = spell(draw_document(3));
    for (int i = draw(3); i >= 0 && !text.empty(); --i) {
        const auto place = static_cast<std::size_t>(draw(static_cast<int>(text.size())));
        switch (draw(3)) {
            case 0: text.erase(place, 1); break;
            case 1: text[place] = *rc::gen::arbitrary<char>(); break;
            default:
                text.insert(place, 1, *rc::gen::elementOf(std::string("{}[]\",:\\u0eE-.1")));
                break;
        }
    }

    const auto meaning = reference::read(text);
    const auto canonical = canonical_json(text);

    RC_ASSERT(canonical.has_value() == meaning.has_value());
    if (meaning) RC_ASSERT(reference::read(*canonical) == meaning);
}

}  // namespace
}  // namespace umavez
