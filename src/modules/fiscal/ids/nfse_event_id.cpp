#include "modules/fiscal/ids/nfse_event_id.hpp"

#include "base/assert.hpp"
#include "modules/fiscal/ids/modulo11.hpp"

namespace umavez::fiscal {
namespace {

constexpr std::string_view prefix = "PRE";
constexpr std::size_t evento_length = 6;

}  // namespace

Parsed<NfseEventId> NfseEventId::parse(std::string_view text)
{
    if (text.size() != length) return std::unexpected{IdFault::length};
    if (!text.starts_with(prefix)) return std::unexpected{IdFault::characters};
    const auto chave = NfseKey::parse(text.substr(prefix.size(), NfseKey::length));
    if (!chave) return std::unexpected{chave.error()};
    return build(*chave, text.substr(prefix.size() + NfseKey::length));
}

Parsed<NfseEventId> NfseEventId::build(const NfseKey& chave, std::string_view evento)
{
    if (evento.size() != evento_length) return std::unexpected{IdFault::length};
    if (!digits.has_all(evento)) return std::unexpected{IdFault::characters};
    return NfseEventId{std::string{prefix} + chave.text() + std::string{evento}};
}

NfseKey NfseEventId::chave() const
{
    auto chave = NfseKey::parse(std::string_view{text_}.substr(prefix.size(), NfseKey::length));
    UMAVEZ_ASSERT(chave.has_value());
    return std::move(*chave);
}

}  // namespace umavez::fiscal
