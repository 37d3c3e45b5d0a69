#pragma once

// The rows of subscriptions. Functions run inside the caller's transaction; the tenant is part of
// every look-up. Confined to the thread of the transaction.

#include "modules/cobranca/entities.hpp"
#include "modules/cobranca/input.hpp"
#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>

namespace umavez::cobranca {

Result<Assinatura> insert_assinatura(
    Transaction& transaction, const TenantId& tenant_id, const NovaAssinatura& nova
);

// For a row that this transaction holds.
Result<void> replace_assinatura(Transaction& transaction, const Assinatura& next);

Result<std::optional<Assinatura>> find_assinatura(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
// Held until the transaction ends.
Result<std::optional<Assinatura>> find_assinatura_locked(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);

struct AssinaturaFilter {
    std::optional<std::string> cliente;
    std::optional<EstadoAssinatura> estado;
};

// In the order of their ids.
Result<modules::Listed<Assinatura>> list_assinaturas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const AssinaturaFilter& filter,
    const modules::Page& page
);

}  // namespace umavez::cobranca
