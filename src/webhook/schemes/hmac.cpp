// Any provider that puts an HMAC of the body into a header: which header, algorithm, encoding and prefix, and
// where the id is, are settings. Hexadecimal signatures are in lower case.

#include "webhook/body_mac_scheme.hpp"
#include "webhook/schemes/schemes.hpp"
#include "webhook/setting_words.hpp"

#include <utility>

namespace umavez::webhook {

MadeScheme make_hmac(const Provider& provider)
{
    const auto algorithm = parse_algorithm(provider.algorithm);
    if (!algorithm) return std::unexpected(algorithm.error());
    const auto encoding = parse_encoding(provider.encoding);
    if (!encoding) return std::unexpected(encoding.error());
    auto id = Place::parse(provider.id);
    if (!id) return std::unexpected(std::move(id).error());
    auto type = Place::parse(provider.type);
    if (!type) return std::unexpected(std::move(type).error());
    HeaderMacOptions options{
        .header = provider.header,
        .prefix = provider.prefix,
        .algorithm = *algorithm,
        .encoding = *encoding,
    };
    EventLayout layout{.id = *std::move(id), .type = *std::move(type), .account = provider.account};
    return std::make_unique<BodyMacScheme>(
        HeaderMac{std::move(options), provider.secrets}, std::move(layout)
    );
}

}  // namespace umavez::webhook
