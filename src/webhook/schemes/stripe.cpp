// Stripe-Signature: t=1760000000,v1=…: HMAC-SHA256 in hex over t, "." and the body. The secret is the whole
// text, "whsec_" and all. Signatures named v0 are for tests of Stripe's own and are never looked at.

#include "webhook/header_mac.hpp"
#include "webhook/header_text.hpp"
#include "webhook/read_event.hpp"
#include "webhook/schemes/schemes.hpp"
#include "webhook/stamp.hpp"
#include "webhook/timed_signature.hpp"

#include <array>
#include <utility>

namespace umavez::webhook {
namespace {

constexpr std::string_view header_name = "Stripe-Signature";

// The number of addresses that have not yet taken the event: it falls from one delivery to the next.
constexpr std::array<std::string_view, 1> left_out{"pending_webhooks"};

class Stripe final : public Scheme {
public:
    explicit Stripe(const Provider& provider)
        : keys_(make_mac_keys(Algorithm::sha256, provider.secrets)),
          tolerance_(provider.tolerance.value_or(tolerance_default)),
          layout_{
              .id = Place::in_body("/id"),
              .type = Place::in_body("/type"),
              .account = provider.account,
              .left_out = left_out,
          }
    {
    }

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant now) const override
    {
        const auto header = read_signature(delivery.headers, header_name);
        if (!header) return std::unexpected(header.error());
        auto parts = parse_timed_signature(*header, {.header = header_name, .time_name = "t"});
        if (!parts) return std::unexpected(std::move(parts).error());
        auto stamp = parse_stamp(parts->time, StampUnit::seconds, "t of Stripe-Signature");
        if (!stamp) return std::unexpected(std::move(stamp).error());
        if (!is_signed_by_any(
                keys_, Encoding::hex, {parts->time, ".", delivery.body}, parts->signatures
            )) {
            return refuse(Fault::bad_signature, "Stripe-Signature was made by none of the secrets");
        }
        if (auto young = check_age(*stamp, tolerance_, now); !young)
            return std::unexpected(std::move(young).error());
        return read_event(delivery, layout_);
    }

    Result<SignedRequest> sign(std::string_view body, const SignInput&, Instant now) const override
    {
        const std::string time = to_stamp(now);
        const std::string mac = encode(Encoding::hex, keys_.front().sign({time, ".", body}));
        return SignedRequest{.headers = {{std::string{header_name}, "t=" + time + ",v1=" + mac}}};
    }

private:
    std::vector<MacKey> keys_;
    Duration tolerance_;
    EventLayout layout_;
};

}  // namespace

MadeScheme make_stripe(const Provider& provider)
{
    return std::make_unique<Stripe>(provider);
}

}  // namespace umavez::webhook
