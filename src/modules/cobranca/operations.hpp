#pragma once

// The operations of Cobrança as the engine knows them: atomic, a key is required, another payload
// under it is refused, the first answer is replayed byte for byte and kept for 24 hours unless a
// deployment says otherwise. Thread-safe.

#include <umavez/operation.hpp>

namespace umavez::cobranca {

OperationSpec assinaturas_criar();
OperationSpec assinaturas_alterar();
OperationSpec faturas_criar();
OperationSpec faturas_cancelar();
OperationSpec pagamentos_aplicar();

}  // namespace umavez::cobranca
