#include "json/pointer.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

namespace umavez {
namespace {

// "a~1b" is "a/b". The text follows the grammar.
std::string unescape(std::string_view token)
{
    std::string name;
    name.reserve(token.size());
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] != '~') {
            name += token[i];
        } else {
            name += token[++i] == '1' ? '/' : '~';
        }
    }
    return name;
}

std::optional<JsonValue> find_element(JsonValue array, std::string_view token)
{
    std::size_t index = 0;
    const char* const end = token.data() + token.size();
    const auto [rest, error] = std::from_chars(token.data(), end, index);
    const bool is_padded = token.size() > 1 && token.front() == '0';
    if (error != std::errc{} || rest != end || is_padded) return std::nullopt;
    const JsonElements elements = array.elements();
    if (index >= elements.size()) return std::nullopt;
    JsonElements::Iterator at = elements.begin();
    for (; index > 0; --index) ++at;
    return *at;
}

std::optional<JsonValue> find_child(JsonValue parent, std::string_view token)
{
    if (parent.kind() == JsonKind::array) return find_element(parent, token);
    if (!token.contains('~')) return parent.find(token);
    return parent.find(unescape(token));
}

}  // namespace

bool is_json_pointer(std::string_view text) noexcept
{
    if (text.empty()) return true;
    if (text.front() != '/') return false;
    for (std::size_t at = text.find('~'); at != text.npos; at = text.find('~', at + 1)) {
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (next != '0' && next != '1') return false;
    }
    return true;
}

std::optional<JsonValue> find_pointer(JsonValue root, std::string_view pointer)
{
    if (!is_json_pointer(pointer)) return std::nullopt;
    std::optional<JsonValue> found = root;
    while (found && !pointer.empty()) {
        const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
        found = find_child(*found, pointer.substr(1, end - 1));
        pointer.remove_prefix(end);
    }
    return found;
}

}  // namespace umavez
