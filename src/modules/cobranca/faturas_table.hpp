#pragma once

// The rows of invoices. Functions run inside the caller's transaction; the tenant is part of every
// look-up. Confined to the thread of the transaction.

#include "modules/cobranca/entities.hpp"
#include "modules/cobranca/input.hpp"
#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>

namespace umavez::cobranca {

// Over `valor`, with nothing paid. Nullopt: the subscription has an invoice for the month, and
// nothing was written. The subscription must exist.
Result<std::optional<Fatura>> insert_fatura(
    Transaction& transaction, const TenantId& tenant_id, const NovaFatura& nova, Money valor
);

// Writes `next` over the version before it: valor_pago, estado and versao. store_unavailable: the row
// was not held, and somebody else was faster; try again.
Result<void> replace_fatura(Transaction& transaction, const Fatura& next);

Result<std::optional<Fatura>> find_fatura(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
// Held until the transaction ends.
Result<std::optional<Fatura>> find_fatura_locked(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
Result<std::optional<Fatura>> find_fatura_of_month(
    Transaction& transaction, const TenantId& tenant_id, const NovaFatura& month
);

struct FaturaFilter {
    std::optional<std::int64_t> assinatura_id;
    std::optional<EstadoFatura> estado;
};

// In the order of their ids.
Result<modules::Listed<Fatura>> list_faturas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const FaturaFilter& filter,
    const modules::Page& page
);

}  // namespace umavez::cobranca
