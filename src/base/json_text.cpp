#include "base/json_text.hpp"

#include "base/char_set.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <iterator>

namespace umavez {
namespace {

void append_ascii(std::string& out, char c)
{
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
        out += c;
    }
}

constexpr CharSet plain{[](unsigned char byte) {
    return (byte == ' ' || is_visible(byte)) && byte != '"' && byte != '\\';
}};

}  // namespace

void append_json_text(std::string& out, std::string_view text, std::size_t bytes_max)
{
    out += '"';
    std::size_t at = plain.count_first(text.substr(0, bytes_max));
    out += text.substr(0, at);  // most texts as a whole
    while (at < text.size()) {
        const std::string_view rest = text.substr(at);
        const std::size_t length = utf8_sequence_length(rest);
        if (at + (length == 0 ? 1 : length) > bytes_max) {
            out += "…";
            break;
        }
        if (length == 0) {
            out += "\\ufffd";
        } else if (length == 1) {
            append_ascii(out, rest.front());
        } else {
            out += rest.substr(0, length);
        }
        at += length == 0 ? 1 : length;
    }
    out += '"';
}

std::string to_json_text(std::string_view text)
{
    std::string out;
    append_json_text(out, text);
    return out;
}

}  // namespace umavez
