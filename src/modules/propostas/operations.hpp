#pragma once

// The operations of Propostas as the engine knows them: atomic, replayed as the entity is now, kept
// for ever, final on success only. Thread-safe.

#include "modules/propostas/estado.hpp"

#include <umavez/operation.hpp>

#include <optional>

namespace umavez::propostas {

struct Settings {
    // Of operations other than creations, whose keys stay in the rows of their entities. Nullopt:
    // for ever.
    std::optional<Duration> retencao_operacoes;
};

OperationSpec clientes_criar();
OperationSpec clientes_alterar(const Settings& settings);
OperationSpec propostas_criar();
OperationSpec propostas_passo(Passo passo, const Settings& settings);  // "propostas.submeter" …

}  // namespace umavez::propostas
