#include "webhook/body_mac_scheme.hpp"

#include "webhook/header_text.hpp"

#include <utility>

namespace umavez::webhook {

BodyMacScheme::BodyMacScheme(HeaderMac mac, EventLayout layout, std::string address)
    : mac_(std::move(mac)), layout_(std::move(layout)), address_(std::move(address))
{
}

std::expected<Event, Refusal> BodyMacScheme::verify(const Delivery& delivery, Instant) const
{
    if (auto checked = mac_.check(delivery.headers, {address_, delivery.body}); !checked)
        return std::unexpected(std::move(checked).error());
    auto event = read_event(delivery, layout_);
    if (event) event->id_is_signed = id_is_signed();
    return event;
}

Result<SignedRequest> BodyMacScheme::sign(std::string_view body, const SignInput& input, Instant)
    const
{
    SignedRequest request{.headers = {mac_.sign({address_, body})}};
    if (auto added = add_named(layout_, input, request); !added)
        return std::unexpected(std::move(added).error());
    return request;
}

Result<void> add_named(const EventLayout& layout, const SignInput& input, SignedRequest& request)
{
    if (layout.id.kind == PlaceKind::header) {
        auto header = make_header(layout.id.name, input.id, "event id");
        if (!header) return std::unexpected(std::move(header).error());
        request.headers.push_back(*std::move(header));
    }
    if (layout.type.kind == PlaceKind::header && !input.type.empty()) {
        auto header = make_header(layout.type.name, input.type, "event type");
        if (!header) return std::unexpected(std::move(header).error());
        request.headers.push_back(*std::move(header));
    }
    return {};
}

}  // namespace umavez::webhook
