#pragma once

// From a delivery that is rightly signed to its event: id, type, account and body fingerprint by their
// places. Pure, thread-safe.

#include "webhook/body.hpp"
#include "webhook/place.hpp"
#include "webhook/refuse.hpp"

#include <span>
#include <string>
#include <string_view>

namespace umavez::webhook {

// Where a scheme's events keep what we need to know. `left_out` lives as long as the program.
struct EventLayout {
    Place id{};
    Place type{};
    std::string account{};                         // a JSON pointer; empty where there is none
    std::span<const std::string_view> left_out{};  // members that change between redeliveries
};

// The text of one place, an empty one where it is absent or null. `what` names it in the refusal of other
// kinds of JSON and of texts that are no id: above 255 bytes, not UTF-8, with control characters.
std::expected<std::string, Refusal> read_text(
    const Delivery& delivery, const Body& body, const Place& place, std::string_view what
);

// As read_text; an absent one is Fault::missing_id.
std::expected<std::string, Refusal> read_id(
    const Delivery& delivery, const Body& body, const Place& place
);

// The event under this id, with all else from its place. The type is left empty where it is no text: what a
// body calls "type" is the sender's affair.
std::expected<Event, Refusal> make_event(
    std::string id, const Delivery& delivery, const Body& body, const EventLayout& layout
);

// Both: for schemes whose id is one text in one place.
std::expected<Event, Refusal> read_event(const Delivery& delivery, const EventLayout& layout);

}  // namespace umavez::webhook
