#include "key_protocol/form.hpp"

#include "key_protocol/packed.hpp"

#include <algorithm>
#include <optional>

namespace umavez::key_protocol {
namespace {

int hex_value(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Decodes into `out`; returns the offset of a broken escape.
std::optional<std::size_t> decode(std::string_view text, std::string& out)
{
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at] == '+' ? ' ' : text[at];
            continue;
        }
        if (text.size() - at < 3) return at;
        const int high = hex_value(text[at + 1]);
        const int low = hex_value(text[at + 2]);
        if (high < 0 || low < 0) return at;
        out += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return std::nullopt;
}

}  // namespace

std::expected<FormPairs, FormFault> parse_form(std::string_view text)
{
    FormPairs pairs;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('&', begin), text.size());
        const std::string_view field = text.substr(begin, end - begin);
        if (!field.empty()) {
            const std::size_t equals = std::min(field.find('='), field.size());
            auto& [name, value] = pairs.emplace_back();
            if (const auto broken = decode(field.substr(0, equals), name)) {
                return std::unexpected(FormFault{begin + *broken});
            }
            if (equals < field.size()) {
                if (const auto broken = decode(field.substr(equals + 1), value)) {
                    return std::unexpected(FormFault{begin + equals + 1 + *broken});
                }
            }
        }
        begin = end + 1;
    }
    return pairs;
}

std::string to_canonical(const FormPairs& pairs)
{
    // Pointers, because among equal names the place in the list decides, and because strings are
    // dear.
    std::vector<const FormPairs::value_type*> order;
    order.reserve(pairs.size());
    for (const auto& pair : pairs) order.push_back(&pair);
    std::ranges::sort(order, [](const auto* left, const auto* right) {
        const int names = left->first.compare(right->first);
        return names < 0 || (names == 0 && left < right);
    });
    std::string canonical;
    for (const auto* const pair : order) {
        append_packed(canonical, pair->first);
        append_packed(canonical, pair->second);
    }
    return canonical;
}

}  // namespace umavez::key_protocol
