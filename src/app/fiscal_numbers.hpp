#pragma once

// What /metrics tells of fiscal documents, counted in the database. Confined to the thread of the
// transaction.

#include "telemetry/metrics.hpp"

#include <umavez/transaction.hpp>

#include <string>
#include <vector>

namespace umavez {

// Of every state, and of every authority that may be called, also where there is nothing: an alert finds its
// metric.
Result<EngineSnapshot::Fiscal> count_fiscal(
    Transaction& transaction, const std::vector<std::string>& authorities
);

}  // namespace umavez
