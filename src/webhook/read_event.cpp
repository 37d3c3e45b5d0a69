#include "webhook/read_event.hpp"

#include "base/shown.hpp"
#include "webhook/header_text.hpp"

#include <umavez/names.hpp>

#include <fmt/format.h>

#include <utility>

namespace umavez::webhook {
namespace {

// A text that every store can keep and every line of a log can show: the rule of keys.
std::expected<std::string, Refusal> checked(
    std::string text, std::string_view what, const Place& place
)
{
    if (text.empty()) return text;
    if (const auto key = Key::parse(text); !key) {
        return refuse(
            Fault::malformed,
            fmt::format(
                "the {} at {} cannot be used: {}", what, place.text(), shown(key.error().detail)
            )
        );
    }
    return text;
}

std::expected<std::string, Refusal> read_type(
    const Delivery& delivery, const Body& body, const Place& place
)
{
    if (place.kind == PlaceKind::body) {
        const auto found = body.find(place.name);
        if (!found || found->kind() != JsonKind::string) return std::string{};
    }
    return read_text(delivery, body, place, "event type");
}

}  // namespace

std::expected<std::string, Refusal> read_text(
    const Delivery& delivery, const Body& body, const Place& place, std::string_view what
)
{
    switch (place.kind) {
        case PlaceKind::nowhere: return std::string{};
        case PlaceKind::header: {
            const auto found = find_header(delivery.headers, place.name);
            if (!found) return std::unexpected(found.error());
            return checked(std::string{found->value_or("")}, what, place);
        }
        case PlaceKind::body: break;
    }
    const auto found = body.find(place.name);
    if (!found || found->kind() == JsonKind::null) return std::string{};
    auto text = to_plain_text(*found);
    if (!text) {
        return refuse(
            Fault::malformed,
            fmt::format("the {} at {} is neither a string nor a number", what, place.text())
        );
    }
    return checked(*std::move(text), what, place);
}

std::expected<std::string, Refusal> read_id(
    const Delivery& delivery, const Body& body, const Place& place
)
{
    if (place.kind == PlaceKind::body) {
        if (auto json = body.require_json(); !json) return std::unexpected(std::move(json).error());
    }
    auto id = read_text(delivery, body, place, "event id");
    if (id && id->empty()) {
        return refuse(
            Fault::missing_id,
            fmt::format(
                "there is no event id at {}, so a redelivery could not be told", place.text()
            )
        );
    }
    return id;
}

std::expected<Event, Refusal> make_event(
    std::string id, const Delivery& delivery, const Body& body, const EventLayout& layout
)
{
    auto type = read_type(delivery, body, layout.type);
    if (!type) return std::unexpected(std::move(type).error());
    const Place at = layout.account.empty() ? Place{} : Place::in_body(layout.account);
    auto account = read_text(delivery, body, at, "account");
    if (!account) return std::unexpected(std::move(account).error());
    return Event{
        .id = std::move(id),
        .account = *std::move(account),
        .type = *std::move(type),
        .body_digest = body.digest(layout.left_out),
    };
}

std::expected<Event, Refusal> read_event(const Delivery& delivery, const EventLayout& layout)
{
    const Body body{delivery.body};
    auto id = read_id(delivery, body, layout.id);
    if (!id) return std::unexpected(std::move(id).error());
    return make_event(*std::move(id), delivery, body, layout);
}

}  // namespace umavez::webhook
