#include "http/escapes.hpp"

#include "http/hex.hpp"

namespace umavez::http {

std::expected<std::string, BrokenEscape> decode_escapes(std::string_view text, Escapes kind)
{
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            decoded += text[at] == '+' && kind == Escapes::form ? ' ' : text[at];
            continue;
        }
        if (text.size() - at < 3) return std::unexpected(at);
        const int high = hex_value(text[at + 1]);
        const int low = hex_value(text[at + 2]);
        if (high < 0 || low < 0) return std::unexpected(at);
        decoded += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return decoded;
}

}  // namespace umavez::http
