#pragma once

// The messages that we make ourselves, signed by the issuer: the question for the NFS-e of an RPS, and the
// cancellation of one. The city wants RSA-SHA1. Pure, thread-safe.

#include "modules/fiscal/ids/sp_rps.hpp"
#include "modules/fiscal/sao_paulo/chave_nfe.hpp"
#include "xml/signature.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

// PedidoConsultaNFe by ChaveRPS. invalid_argument: the registration has more digits than layout 1 can say.
Result<std::string> make_pedido_consulta(
    SpLayout layout, std::string_view emitente, const SpRpsKey& key, const xml::SigningKey& signer
);

// As many digits of the registration as are signed for a cancellation. Both manuals say 8, that of layout 2
// too, where a registration may have 12: then it takes 12, as nothing else can.
inline constexpr std::size_t im_width_default = 8;

// PedidoCancelamentoNFe. The same bytes every time: the city takes no reason and no time.
Result<std::string> make_pedido_cancelamento(
    SpLayout layout,
    std::string_view emitente,
    const ChaveNfe& chave,
    const xml::SigningKey& signer,
    std::size_t im_width = im_width_default
);

// What AssinaturaCancelamento covers: "31000000" and "000000000009".
std::string cancellation_text(const ChaveNfe& chave, std::size_t im_width);

}  // namespace umavez::fiscal::sao_paulo
