#include "base/shown.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez {
namespace {

bool is_inside_sequence(char c) noexcept
{
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Bytes that are no UTF-8 go too: a terminal may read controls out of them.
std::string without_controls(std::string_view text)
{
    std::string kept;
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        std::string_view rest = text;
        if (length == 0 || is_control(take_character(rest))) {
            kept += '?';
        } else {
            kept += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return kept;
}

}  // namespace

std::string shown(std::string_view text)
{
    if (text.size() <= shown_bytes_max) return without_controls(text);
    std::size_t head = shown_bytes_max / 2;
    std::size_t tail = text.size() - shown_bytes_max / 4;
    while (head > 0 && is_inside_sequence(text[head])) --head;
    while (tail < text.size() && is_inside_sequence(text[tail])) ++tail;
    return fmt::format(
        "{}…{} ({} bytes)",
        without_controls(text.substr(0, head)),
        without_controls(text.substr(tail)),
        text.size()
    );
}

}  // namespace umavez
