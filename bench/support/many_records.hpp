#pragma once

// make_many: a database with millions of completed records, made by SQL from one that the engine wrote, with
// their audit entries. Whatever columns the tables have are copied; keys are random, as clients choose them.
// Confined to its thread.

#include <umavez/transaction.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace umavez::bench {

struct ManyRecords {
    std::uint64_t count = 0;
    // Of the first, from now; the others follow a microsecond apart.
    Duration expires_in{0};

    // Runs a statement that may take longer than a transaction of ours may; null: in one of the database.
    std::function<void(const std::string& sql)> run;
    std::uint64_t chunk = 10'000;  // records per statement
};

// The database has exactly one record. Prints how far it is.
void make_many(Database& database, const ManyRecords& records);

}  // namespace umavez::bench
