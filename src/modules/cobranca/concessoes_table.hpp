#pragma once

// The rows of what paid invoices grant. Functions run inside the caller's transaction; the tenant is
// part of every look-up. Confined to the thread of the transaction.

#include "modules/cobranca/entities.hpp"
#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>

namespace umavez::cobranca {

// One for each invoice: where it is there already nothing is written.
Result<void> ensure_concessao(
    Transaction& transaction, const TenantId& tenant_id, const Fatura& fatura
);

Result<std::optional<Concessao>> find_concessao(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);

struct ConcessaoFilter {
    std::optional<std::int64_t> fatura_id;
    std::optional<std::int64_t> assinatura_id;
};

// In the order of their ids.
Result<modules::Listed<Concessao>> list_concessoes(
    Transaction& transaction,
    const TenantId& tenant_id,
    const ConcessaoFilter& filter,
    const modules::Page& page
);

}  // namespace umavez::cobranca
