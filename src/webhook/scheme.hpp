#pragma once

// Scheme: how one kind of provider proves that a webhook is its own, and where its event is named.
//
// verify() turns a delivery into an event or a refusal; sign() makes a delivery that verify() accepts.
// Neither has an effect, reads a clock or waits. The signature is judged before anything else is read from
// the body, and the age of a delivery after it, so an unsigned sender learns nothing. Immutable after
// construction and thread-safe; a scheme keeps nothing of the Provider it was made from but copies.

#include "webhook/provider.hpp"

#include <umavez/fingerprint.hpp>
#include <umavez/response.hpp>
#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::webhook {

// A request as it came in: the raw bytes of its body, the query without "?". Borrowed during the call.
struct Delivery {
    std::string_view body{};
    std::span<const Header> headers{};
    std::string_view query{};
};

enum class Fault : std::uint8_t {
    // NOLINTNEXTLINE(readability-identifier-naming): the bare word is a keyword
    unsigned_,      // no signature of a kind that the scheme knows
    bad_signature,  // none of the secrets made it
    bad_timestamp,  // missing, not a number, too old, or too far in the future
    missing_id,     // nothing in it can tell a redelivery from another event
    malformed,      // a header given twice, a body that is no JSON, an id that is no text …
};

std::string_view to_text(Fault fault) noexcept;

// Why a delivery is not taken; nothing was done with it.
struct Refusal {
    Fault fault;
    std::string detail;  // for sender and operator: no secret, no signature that would be right
};

struct Event {
    std::string id;         // 1 to 255 bytes of UTF-8 without control characters
    std::string account{};  // from the signed body; empty where none is configured or there
    std::string type{};     // empty where there is none; no better signed than the id
    Digest body_digest{};   // the body fingerprint: equal for equal JSON; of nothing where unsigned
    bool id_is_signed = true;    // if not, the body fingerprint must tell duplicates as well
    bool body_is_signed = true;  // or vouched for by a token; if not, it is a hint, see body_digest
};

// What sign() cannot read from the body. A scheme uses the parts that it puts into headers or the query.
struct SignInput {
    std::string id{};        // where it travels in a header; the request id of mercadopago
    std::string type{};      // github, shopify, mercadopago, and where a header has it
    std::string resource{};  // mercadopago: data.id
};

struct SignedRequest {
    std::vector<Header> headers;
    std::string query{};  // without "?"; empty where the scheme needs none
};

class Scheme {
public:
    virtual ~Scheme() = default;

    virtual std::expected<Event, Refusal> verify(const Delivery& delivery, Instant now) const = 0;

    // What must go with `body`, as if sent at `now`. Fails with invalid_argument where `input` lacks a part
    // or has one that cannot stand in a header, and with misconfigured where only a public key is known.
    virtual Result<SignedRequest> sign(std::string_view body, const SignInput& input, Instant now)
        const = 0;

    // As the events of this scheme will say.
    virtual bool body_is_signed() const noexcept { return true; }
    virtual bool id_is_signed() const noexcept { return true; }
};

// Fails with misconfigured; the sentence names the provider, the setting and the cure.
Result<std::unique_ptr<const Scheme>> make_scheme(const Provider& provider);

}  // namespace umavez::webhook
