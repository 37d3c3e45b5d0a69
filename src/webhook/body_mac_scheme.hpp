#pragma once

// The scheme of many providers: one HMAC over the body, or over our address and the body, in a header of its
// own, and an event whose id is one text in one place. Immutable after construction, thread-safe.

#include "webhook/header_mac.hpp"
#include "webhook/read_event.hpp"
#include "webhook/scheme.hpp"

#include <string>

namespace umavez::webhook {

class BodyMacScheme final : public Scheme {
public:
    // `address` is what is signed before the body; mostly nothing.
    BodyMacScheme(HeaderMac mac, EventLayout layout, std::string address = {});

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant now) const override;
    Result<SignedRequest> sign(std::string_view body, const SignInput& input, Instant now)
        const override;
    bool id_is_signed() const noexcept override { return layout_.id.kind == PlaceKind::body; }

private:
    HeaderMac mac_;
    EventLayout layout_;
    std::string address_;
};

// For sign(): adds what `layout` expects in headers. The id must be there; a type may be left out.
Result<void> add_named(const EventLayout& layout, const SignInput& input, SignedRequest& request);

}  // namespace umavez::webhook
