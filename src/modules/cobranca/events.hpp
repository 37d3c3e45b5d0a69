#pragma once

// The events of this module, into the outbox. Each is appended after its aggregate's row was changed,
// which holds the row and so keeps the events of one aggregate in order. `data` is the entity as the
// API shows it. Confined to the thread of the transaction.

#include "modules/cobranca/entities.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <string>

namespace umavez::cobranca {

// assinatura.criada, assinatura.alterada
Result<void> append_event(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string type,
    const Assinatura& assinatura
);

// fatura.criada, fatura.cancelada, fatura.paga
Result<void> append_event(
    Transaction& transaction, const TenantId& tenant_id, std::string type, const Fatura& fatura
);

// pagamento.aplicado, an event of its invoice
Result<void> append_payment_event(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Pagamento& pagamento,
    const Fatura& fatura
);

}  // namespace umavez::cobranca
