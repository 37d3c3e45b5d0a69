#pragma once

// Provider: what one [[webhook.provider]] table of the configuration says about a sender of webhooks.
//
// Plain data as it was written; make_scheme() of scheme.hpp checks it. An empty text is a setting that was
// not given. Holds secrets: never log one of these. Immutable by convention once configured.

#include <umavez/time.hpp>

#include <optional>
#include <string>
#include <vector>

namespace umavez::webhook {

inline constexpr const char* mercadopago_api_default = "https://api.mercadopago.com";

struct Provider {
    std::string name{};    // of the route /webhooks/{provider} and of the dedupe key
    std::string scheme{};  // "stripe", "standard-webhooks" …

    // Any of them may have signed a delivery, so that they can be rotated. The first one signs ours; all do
    // where a delivery can carry several signatures (standard-webhooks).
    std::vector<std::string> secrets{};

    std::optional<Duration> tolerance{};  // between a signed time and ours, both ways
    std::string account{};                // JSON pointer of the account in a signed body
    std::string url{};                    // our public address, for schemes that sign it

    // Of the schemes "hmac" and "token". A place is a JSON pointer of the body or "header:NAME".
    std::string header{};     // the one with the signature or the token
    std::string algorithm{};  // sha256 (the default), sha1, sha512
    std::string encoding{};   // hex (the default), base64
    std::string prefix{};     // before the signature: "sha256="
    std::string id{};         // the place of the event's id
    std::string type{};       // the place of its type

    // Of "mercadopago", whose notifications only tell what to fetch.
    std::string api{mercadopago_api_default};
    std::string api_token{};
};

}  // namespace umavez::webhook
