#pragma once

// Rps: what a signed PedidoEnvioRPS says of itself: which RPS it is, and who sends it.
//
// Everything is read from what the signature covers, and never from what came beside it: what we consult by
// later must be what the city will read. The RPS has a signature of its own, over a text made of its fields;
// it is made once more and compared, because the city refuses another one (1206). Pure, thread-safe.

#include "modules/fiscal/ids/sp_rps.hpp"
#include "modules/fiscal/ids/tipo.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

struct Rps {
    SpLayout layout = SpLayout::one;
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;  // CNPJ (14) or CPF (11) of the sender
    std::string serie;     // may be empty
    std::int64_t numero = 0;
    std::string id_autoridade;  // SpRpsKey::text()
    std::string id_idempotencia;
};

// The message does not say which environment it is meant for, so whoever sends it does. invalid_argument: the
// detail is a sentence that names the element and the cure: no XML, no PedidoEnvioRPS, no signature or one
// that does not fit, an RPS that is not to become an NFS-e.
Result<Rps> read_rps(std::string_view xml, Ambiente ambiente);

}  // namespace umavez::fiscal::sao_paulo
