#pragma once

// The request of a cancellation: `pedRegEvento` with the event 101101, signed by the issuer. It is made
// once and sent unchanged however often: the authority knows it by its Id, which is made of the key. Pure,
// thread-safe.

#include "modules/fiscal/ids/tipo.hpp"
#include "xml/signature.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <string>
#include <string_view>

namespace umavez::fiscal::nacional {

struct PedidoCancelamento {
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;       // CNPJ or CPF
    std::string chave;          // 50 positions
    std::string justificativa;  // 15 to 255 characters of Latin-1
    Instant now;
};

// invalid_argument: the sentence tells what is wrong with the key or the reason.
Result<std::string> make_pedido_cancelamento(
    const PedidoCancelamento& pedido, const xml::SigningKey& key
);

}  // namespace umavez::fiscal::nacional
