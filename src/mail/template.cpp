#include "mail/template.hpp"

#include "base/shown.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::mail {
namespace {

constexpr std::string_view opening = "{{";
constexpr std::string_view closing = "}}";

std::unexpected<Error> refuse(std::string_view text, std::size_t at, std::string_view why)
{
    const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
    return fail(Errc::invalid_argument, fmt::format("linha {}: {}", line, why));
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool has_control(std::string_view text)
{
    while (!text.empty()) {
        if (is_control(take_character(text))) return true;
    }
    return false;
}

void append_escaped(std::string& to, std::string_view value)
{
    for (const char c : value) {
        switch (c) {
            case '&': to += "&amp;"; break;
            case '<': to += "&lt;"; break;
            case '>': to += "&gt;"; break;
            case '"': to += "&quot;"; break;
            case '\'': to += "&#39;"; break;
            default: to += c;
        }
    }
}

}  // namespace

std::string to_field_name(std::string_view text)
{
    std::string name{trimmed(text)};
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        if (byte >= 'A' && byte <= 'Z') name[i] = static_cast<char>(byte + 0x20);
        // U+00C0 to U+00DE are 0x20 before their small ones, as in ASCII; U+00D7 is a sign.
        const bool follows = i > 0 && name[i - 1] == '\xc3';
        if (follows && byte >= 0x80 && byte <= 0x9e && byte != 0x97) {
            name[i] = static_cast<char>(byte + 0x20);
        }
    }
    return name;
}

Result<Template> Template::parse(std::string_view text)
{
    if (!is_utf8(text)) return fail(Errc::invalid_argument, "o texto não é UTF-8");
    Template parsed;
    std::string literal;
    std::size_t at = 0;
    for (std::size_t open = text.find(opening); open != std::string_view::npos;
         open = text.find(opening, at)) {
        literal += text.substr(at, open - at);
        if (text.substr(open + 2).starts_with(opening)) {
            literal += opening;
            at = open + 4;
            continue;
        }
        const std::size_t close = text.find(closing, open);
        if (close == std::string_view::npos) return refuse(text, open, "{{ sem }}");
        std::string name = to_field_name(text.substr(open + 2, close - open - 2));
        if (name.empty()) return refuse(text, open, "nenhum nome entre {{ e }}");
        if (name.size() > field_name_bytes_max || has_control(name) ||
            name.find_first_of("{}") != std::string::npos) {
            return refuse(text, open, fmt::format("“{}” não é nome de campo", shown(name)));
        }
        parsed.pieces_.push_back({std::exchange(literal, {}), name});
        parsed.add_name(std::move(name));
        at = close + 2;
    }
    literal += text.substr(at);
    if (!literal.empty()) parsed.pieces_.push_back({std::move(literal), {}});
    return parsed;
}

void Template::add_name(std::string name)
{
    if (std::ranges::find(names_, name) == names_.end()) names_.push_back(std::move(name));
}

std::string Template::render(const Lookup& lookup, Escaping escaping) const
{
    std::string text;
    for (const Piece& piece : pieces_) {
        text += piece.literal;
        if (piece.name.empty()) continue;
        const std::string_view value = lookup(piece.name);
        if (escaping == Escaping::html) {
            append_escaped(text, value);
        } else {
            text += value;
        }
    }
    return text;
}

}  // namespace umavez::mail
