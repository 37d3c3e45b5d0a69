#pragma once

// The operations of numbering as the engine knows them: atomic, a key is required, another payload under it
// is refused, the first success is replayed byte for byte. Thread-safe.

#include <umavez/operation.hpp>

namespace umavez::fiscal {

OperationSpec faixas_criar();
OperationSpec faixas_alterar();

// Its records are kept for ever: a number belongs to its key as long as to its document.
OperationSpec numeracao_reservar();

}  // namespace umavez::fiscal
