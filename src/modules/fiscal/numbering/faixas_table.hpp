#pragma once

// The rows of number ranges. Functions run inside the caller's transaction; the tenant is part of every
// look-up, and names of series are parameters of statements. Confined to the thread of the transaction.

#include "modules/fiscal/numbering/faixa.hpp"
#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace umavez::fiscal {

// Nullopt: the series has its range, and nothing was written.
Result<std::optional<Faixa>> insert_faixa(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Serie& serie,
    std::int64_t ultimo_numero
);

// Takes the next number: the range as it is then. The row is held until the transaction ends, so numbers
// are given out one commit after the other and one that is undone is given out again. Nullopt: there is no
// such range, it is blocked, or no number is left.
Result<std::optional<Faixa>> take_number(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
);

// Writes `next` over the version before it: ultimo_numero, bloqueado, versao. store_unavailable: the row
// was not held, and somebody else was faster; try again.
Result<void> replace_faixa(Transaction& transaction, const Faixa& next);

Result<std::optional<Faixa>> find_faixa(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
// Held until the transaction ends.
Result<std::optional<Faixa>> find_faixa_locked(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
Result<std::optional<Faixa>> find_faixa_of(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
);
// Held until the transaction ends.
Result<std::optional<Faixa>> find_faixa_of_locked(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
);

struct FaixaFilter {
    std::optional<Tipo> tipo;
    std::optional<std::string> emitente;
};

// In the order of their ids.
Result<modules::Listed<Faixa>> list_faixas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const FaixaFilter& filter,
    const modules::Page& page
);

// Of all tenants or of one, by issuer and series; at most `limit`.
Result<std::vector<std::pair<TenantId, Faixa>>> all_faixas(
    Transaction& transaction, const std::optional<TenantId>& tenant_id, std::int64_t limit
);

// The largest number that a document of the series has; 0: there is none. Whatever the range says.
Result<std::int64_t> largest_numero(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
);

// Whether another document of the series has this number, whatever the rest of its natural key is: a series
// that is numbered here has each of its numbers once, in all towns together.
Result<bool> is_numero_used_by_another(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Serie& serie,
    std::int64_t numero,
    const std::string& id_idempotencia
);

}  // namespace umavez::fiscal
