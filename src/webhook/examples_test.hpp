#pragma once

// One example of every scheme, for the tests of what holds for all of them. Thread-safe.

#include "webhook/scheme.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace umavez::webhook {

inline constexpr Instant noon = from_micros(1'760'000'000'000'000);

struct Example {
    std::string label;
    Provider provider;  // with one secret
    std::string other_secret;
    std::string body;
    SignInput input;
    std::string id;              // of the event that comes out
    std::string type;            // of it
    bool has_free_body = false;  // body that the signature does not cover
};

const std::vector<Example>& examples();

std::unique_ptr<const Scheme> make(const Provider& provider);

// Signed, or the test has failed.
SignedRequest sign(
    const Scheme& scheme, std::string_view body, const SignInput& input = {}, Instant now = noon
);

Delivery delivery_of(std::string_view body, const SignedRequest& request);

// "stripe evt_1", or "bad_signature".
std::string outcome(const std::expected<Event, Refusal>& verified);

// A refusal for a reason, and the detail of one.
std::string fault_of(const std::expected<Event, Refusal>& verified);

}  // namespace umavez::webhook
