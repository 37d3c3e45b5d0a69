#pragma once

// The one way in which a subscription changes: next version, row, event. Confined to the thread of
// the transaction.

#include "modules/cobranca/entities.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

namespace umavez::cobranca {

// `next` is the subscription as it shall be, still with the version it has; its row is held by the
// transaction. Gives it as it is then.
Result<Assinatura> write_next_version(
    Transaction& transaction, const TenantId& tenant_id, Assinatura next
);

}  // namespace umavez::cobranca
