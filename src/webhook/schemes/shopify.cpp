// X-Shopify-Hmac-Sha256: the HMAC-SHA256 of the body in base64, under the client secret. The headers with the
// ids are not signed. One event that two subscriptions report has two webhook ids and one event id, so the
// event id comes first; older deliveries have the webhook id alone.

#include "webhook/header_mac.hpp"
#include "webhook/header_text.hpp"
#include "webhook/read_event.hpp"
#include "webhook/schemes/schemes.hpp"

#include <utility>

namespace umavez::webhook {
namespace {

constexpr std::string_view event_header = "X-Shopify-Event-Id";
constexpr std::string_view webhook_header = "X-Shopify-Webhook-Id";
constexpr std::string_view topic_header = "X-Shopify-Topic";

class Shopify final : public Scheme {
public:
    explicit Shopify(const Provider& provider)
        : mac_({.header = "X-Shopify-Hmac-Sha256", .encoding = Encoding::base64}, provider.secrets),
          layout_{.type = Place::in_header(topic_header), .account = provider.account}
    {
    }

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant) const override
    {
        if (auto checked = mac_.check(delivery.headers, {delivery.body}); !checked)
            return std::unexpected(std::move(checked).error());
        // As Shopify's own library has it: every webhook has a body and a webhook id.
        if (delivery.body.empty()) return refuse(Fault::malformed, "the body is empty");
        const Body body{delivery.body};
        auto webhook_id = read_id(delivery, body, Place::in_header(webhook_header));
        if (!webhook_id) return std::unexpected(std::move(webhook_id).error());
        auto id = read_text(delivery, body, Place::in_header(event_header), "event id");
        if (!id) return std::unexpected(std::move(id).error());
        auto event = make_event(
            id->empty() ? *std::move(webhook_id) : *std::move(id), delivery, body, layout_
        );
        if (event) event->id_is_signed = false;
        return event;
    }

    Result<SignedRequest> sign(std::string_view body, const SignInput& input, Instant)
        const override
    {
        auto event_id = make_header(event_header, input.id, "event id");
        if (!event_id) return std::unexpected(std::move(event_id).error());
        Header webhook_id{std::string{webhook_header}, input.id};
        SignedRequest request{
            .headers = {mac_.sign({body}), *std::move(event_id), std::move(webhook_id)}
        };
        if (input.type.empty()) return request;
        auto topic = make_header(topic_header, input.type, "event type");
        if (!topic) return std::unexpected(std::move(topic).error());
        request.headers.push_back(*std::move(topic));
        return request;
    }

    bool id_is_signed() const noexcept override { return false; }

private:
    HeaderMac mac_;
    EventLayout layout_;
};

}  // namespace

MadeScheme make_shopify(const Provider& provider)
{
    return std::make_unique<Shopify>(provider);
}

}  // namespace umavez::webhook
