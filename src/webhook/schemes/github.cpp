// X-Hub-Signature-256: sha256=…, the HMAC-SHA256 of the body in hex. The older X-Hub-Signature with SHA-1 is
// not looked at. The id, X-GitHub-Delivery, and the type, X-GitHub-Event, are not signed.

#include "webhook/body_mac_scheme.hpp"
#include "webhook/schemes/schemes.hpp"

namespace umavez::webhook {

MadeScheme make_github(const Provider& provider)
{
    const HeaderMacOptions options{.header = "X-Hub-Signature-256", .prefix = "sha256="};
    const EventLayout layout{
        .id = Place::in_header("X-GitHub-Delivery"),
        .type = Place::in_header("X-GitHub-Event"),
        .account = provider.account,
    };
    return std::make_unique<BodyMacScheme>(HeaderMac{options, provider.secrets}, layout);
}

}  // namespace umavez::webhook
