#include "http/parameters.hpp"

#include "base/assert.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "http/escapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace umavez::http {
namespace {

// The values given for one name. A value that cannot be decoded is told by nullopt.
std::vector<std::optional<std::string>> find_all(std::string_view query, std::string_view name)
{
    std::vector<std::optional<std::string>> values;
    while (!query.empty()) {
        const std::size_t end = query.find('&');
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
        const std::size_t equals = pair.find('=');
        if (form_decode(pair.substr(0, equals)) != name) continue;
        values.push_back(
            equals == std::string_view::npos ? std::string{} : form_decode(pair.substr(equals + 1))
        );
    }
    return values;
}

// The names in a query, as they are decoded; nullopt: one cannot be.
std::vector<std::optional<std::string>> names_in(std::string_view query)
{
    std::vector<std::optional<std::string>> names;
    while (!query.empty()) {
        const std::size_t end = query.find('&');
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
        if (!pair.empty()) names.push_back(form_decode(pair.substr(0, pair.find('='))));
    }
    return names;
}

Text unknown_parameter(const std::string& name, const std::vector<std::string>& known)
{
    const auto nearest = find_nearest(name, known);
    const std::string given = shown(name);
    const std::string list = fmt::format("{}", fmt::join(known, ", "));
    return {
        fmt::format(
            "the query has a parameter \"{}\" that is not known here{}; there are {}",
            given,
            nearest ? fmt::format(" (did you mean \"{}\"?)", *nearest) : "",
            list
        ),
        fmt::format(
            "a consulta tem um parâmetro \"{}\" que não é conhecido aqui{}; existem {}",
            given,
            nearest ? fmt::format(" (quis dizer \"{}\"?)", *nearest) : "",
            list
        ),
    };
}

}  // namespace

std::optional<Text> find_unknown_parameter(
    const std::vector<Field>& declared, std::string_view query
)
{
    if (declared.empty()) return std::nullopt;
    std::vector<std::string> known;
    for (const Field& field : declared) known.push_back(field.name);
    for (const auto& name : names_in(query)) {
        if (!name) {
            return Text{
                "a name in the query has a % that two hexadecimal digits do not follow",
                "um nome na consulta tem um % que dois dígitos hexadecimais não seguem",
            };
        }
        if (std::ranges::find(known, *name) == known.end()) return unknown_parameter(*name, known);
    }
    return std::nullopt;
}

std::vector<FieldError> take_query(const std::vector<Field>& declared, Request& request)
{
    std::vector<FieldError> errors;
    for (const Field& field : declared) {
        const auto expected = [&field](const Text& before) {
            const Text words = to_words(field.type);
            return Text{before.english + words.english, before.portuguese + words.portuguese};
        };
        auto values = find_all(request.query, field.name);
        if (values.empty()) {
            if (field.required)
                errors.push_back({field.name, expected({"is missing; it is ", "falta; é "})});
        } else if (values.size() > 1) {
            errors.push_back({field.name, {"is given more than once", "foi dado mais de uma vez"}});
        } else if (!values[0] || !accepts(field.type, *values[0])) {
            errors.push_back({field.name, expected({"is not ", "não é "})});
        } else {
            request.parameters.emplace_back(field.name, *std::move(values[0]));
        }
    }
    return errors;
}

std::optional<std::string_view> find_parameter(
    const Request& request, std::string_view name
) noexcept
{
    for (const auto& [known, value] : request.parameters) {
        if (known == name) return value;
    }
    return std::nullopt;
}

std::optional<std::int64_t> find_integer(const Request& request, std::string_view name) noexcept
{
    const auto text = find_parameter(request, name);
    std::int64_t value = 0;
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{}) {
        return std::nullopt;
    }
    return value;
}

std::string_view get_parameter(const Request& request, std::string_view name)
{
    const auto found = find_parameter(request, name);
    UMAVEZ_ASSERT(found.has_value());
    return *found;
}

std::int64_t get_integer(const Request& request, std::string_view name)
{
    const auto found = find_integer(request, name);
    UMAVEZ_ASSERT(found.has_value());
    return *found;
}

std::optional<std::string> percent_decode(std::string_view text)
{
    auto decoded = decode_escapes(text, Escapes::path);
    return decoded ? std::optional{*std::move(decoded)} : std::nullopt;
}

std::optional<std::string> form_decode(std::string_view text)
{
    auto decoded = decode_escapes(text, Escapes::form);
    return decoded ? std::optional{*std::move(decoded)} : std::nullopt;
}

}  // namespace umavez::http
