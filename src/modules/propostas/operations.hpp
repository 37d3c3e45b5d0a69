#pragma once

// The operations of Propostas as the engine knows them: atomic, replayed as the entity is now, kept
// for ever, final on success only. Thread-safe.

#include "modules/propostas/estado.hpp"

#include <umavez/operation.hpp>

#include <optional>
#include <string_view>

namespace umavez::propostas {

struct Settings {
    // Of operations other than creations, whose keys stay in the rows of their entities. Nullopt:
    // for ever.
    std::optional<Duration> retencao_operacoes;
};

// The keys of these operations stand in rows of the module too, which answer where the record is
// gone: a retention of the record alone would promise an end that the rows do not keep. Nullopt:
// the operation is not one of ours.
std::optional<std::string_view> why_retention_is_fixed(std::string_view operation);

OperationSpec clientes_criar();
OperationSpec clientes_alterar(const Settings& settings);
OperationSpec propostas_criar();
OperationSpec propostas_passo(Passo passo, const Settings& settings);  // "propostas.submeter" …

}  // namespace umavez::propostas
