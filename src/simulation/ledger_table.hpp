#pragma once

// sim_ledger: the business rows of operations whose effect is a row of the same database. Written by
// handlers (rows.cpp), read by SQL of its own when the seed is over. The same on every database.

#include "simulation/evidence.hpp"

#include <umavez/transaction.hpp>

namespace umavez::simulation {

// Once per database.
Result<void> make_ledger_table(Database& database);

// What was committed, in the order of its numbers.
Result<void> read_ledger(Transaction& transaction, Evidence& evidence);

// The identity in three columns from `first` on.
RecordId record_id_of(const Row& row, std::size_t first);

}  // namespace umavez::simulation
