#pragma once

// `idempotencia_operacoes`: which operation a key did to which entity, with a snapshot of the
// result.
//
// The engine's record is the authority; a row is written in its transaction and swept with it.
// Functions run inside the caller's transaction. Confined to its thread.

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace umavez::propostas {

struct Operacao {
    const TenantId& tenant_id;
    const Key& key;
    std::string_view tipo;  // "submeter_proposta"
};

// The entity that the key did this to. A row past its expiry counts no more, swept or not.
Result<std::optional<std::int64_t>> find_operacao(
    Transaction& transaction, const Operacao& operacao
);

// In place of an expired one, if there is any. `retention`: nullopt keeps it for ever.
Result<void> write_operacao(
    Transaction& transaction,
    const Operacao& operacao,
    std::int64_t entidade_id,
    std::string resultado,
    std::optional<Duration> retention
);

Result<void> delete_operacoes(
    Transaction& transaction, std::string_view tipo, std::span<const RecordId> ids
);

}  // namespace umavez::propostas
