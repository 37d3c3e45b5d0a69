#pragma once

// The rows of payments. Functions run inside the caller's transaction; the tenant is part of every
// look-up. Confined to the thread of the transaction.

#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/entities.hpp"
#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>

namespace umavez::cobranca {

// Nullopt: a payment of the tenant has this origin and reference, and nothing was written. The
// invoice must exist.
Result<std::optional<Pagamento>> insert_pagamento(
    Transaction& transaction, const TenantId& tenant_id, const NovoPagamento& novo
);

Result<std::optional<Pagamento>> find_pagamento(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
Result<std::optional<Pagamento>> find_pagamento_by_reference(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::string& origem,
    const std::string& referencia
);

// In the order of their ids; of one invoice where `fatura_id` is given.
Result<modules::Listed<Pagamento>> list_pagamentos(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::optional<std::int64_t>& fatura_id,
    const modules::Page& page
);

}  // namespace umavez::cobranca
