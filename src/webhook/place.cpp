#include "webhook/place.hpp"

#include "base/shown.hpp"
#include "json/pointer.hpp"
#include "webhook/header_text.hpp"

#include <fmt/format.h>

namespace umavez::webhook {
namespace {

constexpr std::string_view header_prefix = "header:";

}  // namespace

Result<Place> Place::parse(std::string_view text)
{
    if (text.empty()) return Place{};
    if (text.starts_with(header_prefix)) {
        const std::string_view name = text.substr(header_prefix.size());
        if (is_header_name(name)) return in_header(name);
        return fail(
            Errc::misconfigured,
            fmt::format("\"{}\" names no header; write it as \"header:X-Event-Id\"", shown(text))
        );
    }
    if (is_json_pointer(text)) return in_body(text);
    return fail(
        Errc::misconfigured,
        fmt::format(
            "\"{}\" is no place; write a JSON pointer such as \"/data/id\", or "
            "\"header:X-Event-Id\"",
            shown(text)
        )
    );
}

std::string Place::text() const
{
    return kind == PlaceKind::header ? std::string{header_prefix} + name : name;
}

}  // namespace umavez::webhook
