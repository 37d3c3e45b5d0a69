#pragma once

// The rows of proposals and of their history. Functions run inside the caller's transaction; the
// tenant is part of every look-up. Confined to the thread of the transaction.

#include "modules/parts/page.hpp"
#include "modules/propostas/entities.hpp"
#include "modules/propostas/input.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace umavez::propostas {

// Nullopt: another proposal of the tenant has the key, and nothing was written. The client must
// exist.
Result<std::optional<Proposta>> insert_proposta(
    Transaction& transaction,
    const TenantId& tenant_id,
    const NovaProposta& nova,
    const std::optional<Key>& key
);

// Writes `next` over the version before it. store_unavailable: somebody else was faster; try again.
Result<void> replace_proposta(Transaction& transaction, const Proposta& next);

Result<std::optional<Proposta>> find_proposta(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
Result<std::optional<Proposta>> find_proposta_by_key(
    Transaction& transaction, const TenantId& tenant_id, const Key& key
);

// Of whatever tenant: for an id that came out of a record, which was found inside its tenant.
Result<std::optional<Proposta>> find_proposta_of_record(Transaction& transaction, std::int64_t id);

struct PropostaFilter {
    std::optional<std::int64_t> cliente_id;
    std::optional<Estado> estado;
};

// In the order of their ids.
Result<modules::Listed<Proposta>> list_propostas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const PropostaFilter& filter,
    const modules::Page& page
);

Result<void> append_historico(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::int64_t proposta_id,
    const HistoricoStep& step
);

// From the first version to the last. A proposal has as many steps as somebody took, so they are
// not paged, but bounded.
inline constexpr std::int64_t historico_max = 1000;
Result<std::vector<HistoricoStep>> list_historico(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t proposta_id
);

}  // namespace umavez::propostas
