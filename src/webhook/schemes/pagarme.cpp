// Pagar.me v1: X-Hub-Signature: sha1=…, the HMAC-SHA1 of the body in hex under the API key; the
// documentation shows the digest alone, so the prefix may be missing. The body is a form, and each change
// of a transaction's status is an event: its id and current_status together name it.

#include "webhook/fields.hpp"
#include "webhook/header_mac.hpp"
#include "webhook/read_event.hpp"
#include "webhook/schemes/schemes.hpp"

#include <umavez/names.hpp>

#include <fmt/format.h>

#include <utility>

namespace umavez::webhook {
namespace {

class Pagarme final : public Scheme {
public:
    explicit Pagarme(const Provider& provider)
        : mac_(
              {
                  .header = "X-Hub-Signature",
                  .prefix = "sha1=",
                  .algorithm = Algorithm::sha1,
                  .may_lack_prefix = true,
              },
              provider.secrets
          )
    {
    }

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant) const override
    {
        if (auto checked = mac_.check(delivery.headers, {delivery.body}); !checked)
            return std::unexpected(std::move(checked).error());
        auto id = read_field(delivery.body, "id", Needed::yes);
        if (!id) return std::unexpected(std::move(id).error());
        auto status = read_field(delivery.body, "current_status", Needed::yes);
        if (!status) return std::unexpected(std::move(status).error());
        auto type = read_field(delivery.body, "event", Needed::no);
        if (!type) return std::unexpected(std::move(type).error());
        const auto key = Key::parse(*id + ":" + *status);
        if (!key) {
            return refuse(
                Fault::malformed, "id and current_status cannot be used: " + key.error().detail
            );
        }
        const Body body{delivery.body};
        return Event{.id = key->text(), .type = *std::move(type), .body_digest = body.digest({})};
    }

    Result<SignedRequest> sign(std::string_view body, const SignInput&, Instant) const override
    {
        return SignedRequest{.headers = {mac_.sign({body})}};
    }

private:
    enum class Needed : std::uint8_t { no, yes };

    static std::expected<std::string, Refusal> read_field(
        std::string_view form, std::string_view name, Needed needed
    )
    {
        auto found = find_field(form, name);
        if (!found) return std::unexpected(std::move(found).error());
        if (!*found && needed == Needed::yes) {
            return refuse(
                Fault::missing_id,
                fmt::format("the form has no {}, so a redelivery could not be told", name)
            );
        }
        if (!*found) return std::string{};
        if (const auto key = Key::parse(**found); !key) {
            return refuse(
                Fault::malformed, fmt::format("{} cannot be used: {}", name, key.error().detail)
            );
        }
        return **std::move(found);
    }

    HeaderMac mac_;
};

}  // namespace

MadeScheme make_pagarme(const Provider& provider)
{
    return std::make_unique<Pagarme>(provider);
}

}  // namespace umavez::webhook
