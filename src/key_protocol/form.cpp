#include "key_protocol/form.hpp"

#include "http/escapes.hpp"
#include "key_protocol/packed.hpp"

#include <algorithm>

namespace umavez::key_protocol {
std::expected<FormPairs, FormFault> parse_form(std::string_view text)
{
    FormPairs pairs;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('&', begin), text.size());
        const std::string_view field = text.substr(begin, end - begin);
        if (!field.empty()) {
            const std::size_t equals = std::min(field.find('='), field.size());
            const std::size_t after = std::min(equals + 1, field.size());
            auto name = http::decode_escapes(field.substr(0, equals), http::Escapes::form);
            if (!name) return std::unexpected(FormFault{begin + name.error()});
            auto value = http::decode_escapes(field.substr(after), http::Escapes::form);
            if (!value) return std::unexpected(FormFault{begin + after + value.error()});
            pairs.emplace_back(*std::move(name), *std::move(value));
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
