// x-square-hmacsha256-signature: the HMAC-SHA256 of our public address and the body, in base64. The address
// is the one in Square's panel, to the letter, which the request itself cannot be trusted to tell.

#include "webhook/body_mac_scheme.hpp"
#include "webhook/schemes/schemes.hpp"

namespace umavez::webhook {

MadeScheme make_square(const Provider& provider)
{
    const HeaderMacOptions options{
        .header = "x-square-hmacsha256-signature", .encoding = Encoding::base64
    };
    const EventLayout layout{
        .id = Place::in_body("/event_id"),
        .type = Place::in_body("/type"),
        .account = provider.account,
    };
    return std::make_unique<BodyMacScheme>(
        HeaderMac{options, provider.secrets}, layout, provider.url
    );
}

}  // namespace umavez::webhook
