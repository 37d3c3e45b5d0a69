#include "http/media_type.hpp"

#include "http/header_syntax.hpp"

#include <algorithm>

namespace umavez::http {
namespace {

using Named = std::pair<std::string, std::string>;

void append_value(std::string& text, std::string_view value)
{
    if (is_token(value)) {
        text += value;
        return;
    }
    text += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    text += '"';
}

}  // namespace

bool MediaType::is_json() const noexcept
{
    return (type == "application" && subtype == "json") || subtype.ends_with("+json");
}

const std::string* MediaType::find(std::string_view name) const noexcept
{
    const auto found = std::ranges::find(parameters, name, &Named::first);
    return found == parameters.end() ? nullptr : &found->second;
}

void MediaType::remove(std::string_view name)
{
    std::erase_if(parameters, [name](const Named& parameter) { return parameter.first == name; });
}

std::string MediaType::text() const
{
    std::string text = type + "/" + subtype;
    for (const auto& [name, value] : parameters) {
        text += ";" + name + "=";
        append_value(text, value);
    }
    return text;
}

std::optional<MediaType> parse_media_type(std::string_view value)
{
    const std::string_view essence = trim(value.substr(0, value.find(';')));
    const std::size_t slash = essence.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    MediaType media_type{
        .type = to_lower_ascii(essence.substr(0, slash)),
        .subtype = to_lower_ascii(essence.substr(slash + 1)),
        .parameters = {},
    };
    if (!is_token(media_type.type) || !is_token(media_type.subtype)) return std::nullopt;
    if (essence.size() == value.size()) return media_type;  // nearly always

    const std::vector<std::string_view> pieces = split_outside_quotes(value, ';');
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        if (trim(pieces[i]).empty()) continue;  // "text/plain;" is common and harmless
        const Parameter parameter = split_parameter(pieces[i]);
        std::string name = to_lower_ascii(parameter.name);
        auto plain = unquote(parameter.value);
        if (!is_token(name) || !plain || media_type.find(name) != nullptr) return std::nullopt;
        if (name == "charset") *plain = to_lower_ascii(*plain);
        media_type.parameters.emplace_back(std::move(name), *std::move(plain));
    }
    std::ranges::sort(media_type.parameters);
    return media_type;
}

}  // namespace umavez::http
