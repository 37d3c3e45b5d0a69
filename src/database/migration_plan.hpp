#pragma once

// What a database still has to apply, judged from what it has applied already. Pure; thread-safe.

#include <umavez/transaction.hpp>

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace umavez {

// Module and the versions it has applied.
using AppliedMigrations = std::map<std::string, std::set<int>, std::less<>>;

// The steps that are missing, in the order given. Refuses gaps on either side and a schema that is
// newer than `migrations` know.
Result<std::vector<const Migration*>> plan_migrations(
    std::span<const Migration> migrations, const AppliedMigrations& applied
);

std::vector<MigrationState> state_of_migrations(
    std::span<const Migration> migrations, const AppliedMigrations& applied
);

}  // namespace umavez
