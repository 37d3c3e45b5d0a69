#pragma once

// Place: where a delivery names something, as the configuration writes it. Immutable by convention.

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::webhook {

enum class PlaceKind : std::uint8_t { nowhere, body, header };

struct Place {
    PlaceKind kind = PlaceKind::nowhere;
    std::string name{};  // a JSON pointer, or a header

    // "/data/id" or "header:X-Event-Id"; empty is nowhere. Else misconfigured, with the cure.
    static Result<Place> parse(std::string_view text);

    static Place in_body(std::string_view pointer)
    {
        return {PlaceKind::body, std::string{pointer}};
    }
    static Place in_header(std::string_view name) { return {PlaceKind::header, std::string{name}}; }

    // As a configuration writes it, for messages.
    std::string text() const;
};

}  // namespace umavez::webhook
