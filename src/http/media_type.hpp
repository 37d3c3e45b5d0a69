#pragma once

// MediaType: a Content-Type in one spelling, so that two spellings of one type are equal.
// Pure, thread-safe. A plain value.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::http {

struct MediaType {
    std::string type;     // "application", lower case
    std::string subtype;  // "json", lower case
    // Names in lower case, sorted, unique; values unquoted, that of charset in lower case.
    std::vector<std::pair<std::string, std::string>> parameters;

    // application/json, and whatever is written in JSON: application/problem+json.
    bool is_json() const noexcept;

    const std::string* find(std::string_view name) const noexcept;  // the parameter's value
    void remove(std::string_view name);

    // "text/plain;charset=utf-8"
    std::string text() const;
};

// Nullopt for what is no media type, and where a parameter is given twice: which one a reader would
// take nobody knows.
std::optional<MediaType> parse_media_type(std::string_view value);

}  // namespace umavez::http
