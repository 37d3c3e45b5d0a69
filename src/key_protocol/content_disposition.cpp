#include "key_protocol/content_disposition.hpp"

#include "http/header_syntax.hpp"
#include "http/parameters.hpp"

#include <vector>

namespace umavez::key_protocol {
namespace {

bool is_escape(std::string_view text, std::size_t at) noexcept
{
    return text[at] == '\\' && at + 1 < text.size() &&
           (text[at + 1] == '"' || text[at + 1] == '\\');
}

// Browsers do not escape backslashes: "C:\cartas\a.csv" means what it shows. Only a quote or a
// backslash can be escaped.
std::optional<std::string> read_value(std::string_view value)
{
    if (http::is_token(value)) return std::string{value};
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
    value = value.substr(1, value.size() - 2);
    std::string plain;
    plain.reserve(value.size());
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (value[at] == '"') return std::nullopt;
        if (is_escape(value, at)) ++at;
        plain += value[at];
    }
    return plain;
}

// UTF-8''na%C3%AFve.csv
std::optional<std::string> read_extended(std::string_view value)
{
    const std::size_t charset_end = value.find('\'');
    if (charset_end == std::string_view::npos) return std::nullopt;
    const std::size_t language_end = value.find('\'', charset_end + 1);
    if (language_end == std::string_view::npos) return std::nullopt;
    if (http::to_lower_ascii(value.substr(0, charset_end)) != "utf-8") return std::nullopt;
    return http::percent_decode(value.substr(language_end + 1));
}

// Like split_outside_quotes, with the escapes of browsers.
std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> pieces;
    bool is_quoted = false;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_quoted && is_escape(text, at)) {
            // A name that ends with a backslash: the quote after it closes.
            const std::string_view after = http::trim(text.substr(at + 2));
            const bool closes = text[at + 1] == '"' && (after.empty() || after.starts_with(';'));
            if (!closes) ++at;
        } else if (text[at] == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && text[at] == ';') {
            pieces.push_back(text.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    pieces.push_back(text.substr(begin));
    return pieces;
}

// False where it was there already: which one a reader would take nobody knows.
bool set_once(std::optional<std::string>& place, std::optional<std::string> value)
{
    if (place || !value) return false;
    place = std::move(value);
    return true;
}

}  // namespace

std::optional<FormDisposition> parse_form_disposition(std::string_view value)
{
    const auto pieces = split(value);
    if (http::to_lower_ascii(http::trim(pieces.front())) != "form-data") return std::nullopt;
    std::optional<std::string> name;
    std::optional<std::string> filename;
    std::optional<std::string> extended;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        const auto [key, text] = http::split_parameter(pieces[i]);
        const std::string lower = http::to_lower_ascii(key);
        bool is_fine = true;
        if (lower == "name") is_fine = set_once(name, read_value(text));
        if (lower == "filename") is_fine = set_once(filename, read_value(text));
        if (lower == "filename*") is_fine = set_once(extended, read_extended(text));
        if (!is_fine) return std::nullopt;
    }
    if (!name) return std::nullopt;
    return FormDisposition{*std::move(name), extended ? std::move(extended) : std::move(filename)};
}

}  // namespace umavez::key_protocol
