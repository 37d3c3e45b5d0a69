#pragma once

// make_many: a database with millions of completed records, made by SQL from one that the engine wrote, with
// their audit entries. Whatever columns the tables have are copied; keys are random, as clients choose them.
// Confined to its thread.

#include <umavez/transaction.hpp>

#include <cstdint>

namespace umavez::bench {

struct ManyRecords {
    std::uint64_t count = 0;
    // Of the first, from now; the others follow a microsecond apart.
    Duration expires_in{0};
};

// The database has exactly one record. Prints how far it is.
void make_many(Database& database, const ManyRecords& records);

}  // namespace umavez::bench
