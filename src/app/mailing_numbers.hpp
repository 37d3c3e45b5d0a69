#pragma once

// The numbers of mailings and of the outbox's messages, counted in the database, whichever process works on
// them. Confined to the thread of the transaction.

#include "telemetry/metrics.hpp"

#include <umavez/transaction.hpp>

namespace umavez {

Result<EngineSnapshot::Mailings> count_mailings(Transaction& transaction);

}  // namespace umavez
