#pragma once

// Evidence inside the database: sim_ledger (ledger_table.hpp), and sim_history, which triggers fill with
// every committed change of a record. Both survive a crash exactly as the records do.

#include "simulation/evidence.hpp"

#include <umavez/transaction.hpp>

namespace umavez::simulation {

// Creates the tables and triggers; once per database file, after the store's own tables.
Result<void> prepare_evidence(Database& database);

// Reads what was committed.
Result<void> gather_evidence(Database& database, Evidence& evidence);

}  // namespace umavez::simulation
