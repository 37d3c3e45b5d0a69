#include "http/header_syntax.hpp"

#include "http/message.hpp"

#include <algorithm>

namespace umavez::http {
namespace {

constexpr CharSet token_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("!#$%&'*+-.^_`|~", byte);
}};

constexpr bool is_space(char c) noexcept
{
    return c == ' ' || c == '\t';
}

// "0", "0.25", "1.000" (RFC 9110, 12.4.2), in thousandths.
std::optional<int> parse_quality(std::string_view text)
{
    if (text.empty() || text.size() > 5) return std::nullopt;
    if (text[0] != '0' && text[0] != '1') return std::nullopt;
    if (text.size() > 1 && text[1] != '.') return std::nullopt;
    int thousandths = (text[0] - '0') * 1000;
    int weight = 100;
    for (std::size_t at = 2; at < text.size(); ++at, weight /= 10) {
        if (text[at] < '0' || text[at] > '9') return std::nullopt;
        thousandths += (text[at] - '0') * weight;
    }
    if (thousandths > 1000) return std::nullopt;
    return thousandths;
}

}  // namespace

std::string_view trim(std::string_view text) noexcept
{
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::string to_lower_ascii(std::string_view text)
{
    std::string lower{text};
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

bool is_token(std::string_view text) noexcept
{
    return !text.empty() && token_chars.has_all(text);
}

std::vector<std::string_view> split_outside_quotes(std::string_view text, char separator)
{
    std::vector<std::string_view> pieces;
    bool is_quoted = false;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_quoted && text[at] == '\\') {
            ++at;
        } else if (text[at] == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && text[at] == separator) {
            pieces.push_back(text.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    pieces.push_back(text.substr(begin));
    return pieces;
}

std::vector<std::string_view> list_elements(
    const std::vector<Header>& headers, std::string_view name
)
{
    std::vector<std::string_view> elements;
    for (const Header& header : headers) {
        if (!is_same_header(header.name, name)) continue;
        for (const std::string_view piece : split_outside_quotes(header.value, ',')) {
            if (const std::string_view element = trim(piece); !element.empty()) {
                elements.push_back(element);
            }
        }
    }
    return elements;
}

Parameter split_parameter(std::string_view text) noexcept
{
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return {trim(text), {}};
    return {trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
}

std::optional<int> find_quality(const std::vector<std::string_view>& pieces)
{
    int quality = 1000;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        const Parameter parameter = split_parameter(pieces[i]);
        if (to_lower_ascii(parameter.name) != "q") continue;
        const std::optional<int> read = parse_quality(parameter.value);
        if (!read) return std::nullopt;
        quality = *read;
    }
    return quality;
}

std::optional<std::string> unquote(std::string_view value)
{
    if (is_token(value)) return std::string{value};
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
    value = value.substr(1, value.size() - 2);
    std::string plain;
    plain.reserve(value.size());
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (value[at] == '"') return std::nullopt;
        if (value[at] == '\\') ++at;
        if (at == value.size()) return std::nullopt;
        if (!value_chars.has(value[at])) return std::nullopt;
        plain += value[at];
    }
    return plain;
}

}  // namespace umavez::http
