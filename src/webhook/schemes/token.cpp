// A secret that the provider sends along in a header, as Asaas does in asaas-access-token. Nothing is signed:
// whoever sends the token vouches for the whole request, so its body and headers count as signed.

#include "base/digest.hpp"
#include "base/headers.hpp"
#include "webhook/body_mac_scheme.hpp"
#include "webhook/encoding.hpp"
#include "webhook/header_text.hpp"
#include "webhook/read_event.hpp"
#include "webhook/schemes/schemes.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::webhook {
namespace {

std::string_view text_of(const Digest& digest) noexcept
{
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

class Token final : public Scheme {
public:
    Token(const Provider& provider, std::string header, EventLayout layout)
        : header_(std::move(header)),
          first_(provider.prefix + provider.secrets.front()),
          layout_(std::move(layout))
    {
        for (const std::string& secret : provider.secrets)
            digests_.push_back(sha256(provider.prefix + secret));
    }

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant) const override
    {
        const auto given = read_signature(delivery.headers, header_);
        if (!given) return std::unexpected(given.error());
        // Digests have one length, so the time tells nothing of the secrets' lengths either.
        const Digest digest = sha256(*given);
        bool is_found = false;
        for (const Digest& right : digests_)
            is_found |= is_same_secretly(text_of(right), text_of(digest));
        if (!is_found) {
            return refuse(
                Fault::bad_signature, fmt::format("the token in {} is none of the secrets", header_)
            );
        }
        return read_event(delivery, layout_);
    }

    Result<SignedRequest> sign(std::string_view, const SignInput& input, Instant) const override
    {
        SignedRequest request{.headers = {{header_, first_}}};
        if (auto added = add_named(layout_, input, request); !added)
            return std::unexpected(std::move(added).error());
        return request;
    }

private:
    std::string header_;
    std::string first_;  // what the header says if the first secret is used
    std::vector<Digest> digests_;
    EventLayout layout_;
};

}  // namespace

MadeScheme make_asaas(const Provider& provider)
{
    EventLayout layout{
        .id = Place::in_body("/id"),
        .type = Place::in_body("/event"),
        .account = provider.account,
    };
    return std::make_unique<Token>(provider, "asaas-access-token", std::move(layout));
}

MadeScheme make_token(const Provider& provider)
{
    auto id = Place::parse(provider.id.empty() ? "/id" : provider.id);
    if (!id) return std::unexpected(std::move(id).error());
    if (id->kind == PlaceKind::header && is_same_header(id->name, provider.header)) {
        return fail(
            Errc::misconfigured,
            "id: this header carries the secret, which would be kept and shown as the id of every "
            "event; name "
            "another place"
        );
    }
    auto type = Place::parse(provider.type);
    if (!type) return std::unexpected(std::move(type).error());
    EventLayout layout{.id = *std::move(id), .type = *std::move(type), .account = provider.account};
    return std::make_unique<Token>(provider, provider.header, std::move(layout));
}

}  // namespace umavez::webhook
