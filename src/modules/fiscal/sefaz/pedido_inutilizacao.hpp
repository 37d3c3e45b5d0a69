#pragma once

// The request of a voiding: `inutNFe`, signed by the issuer. The authority knows it by its Id, which is made
// of the range: sent again it is answered with the protocol of the first time (563). Pure, thread-safe.

#include "modules/fiscal/authority/authority.hpp"
#include "xml/signature.hpp"

#include <umavez/result.hpp>

#include <string>

namespace umavez::fiscal::sefaz {

// invalid_argument: the sentence names what does not fit: the type, the state, the issuer, the year, the
// numbers or the reason.
Result<std::string> make_pedido_inutilizacao(
    const Inutilizacao& inutilizacao, const xml::SigningKey& key
);

}  // namespace umavez::fiscal::sefaz
