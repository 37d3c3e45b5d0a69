#pragma once

// Whose a storage folder is. Two installations that share one by accident, because both were started in the
// same place, would each remove the other's files as orphans: so the first one leaves a marker with the
// name of its database, and every other database is refused.
//
// Blocks. Thread-safe, and safe for many processes on one folder.

#include "modules/mailing/storage.hpp"

#include <umavez/transaction.hpp>

#include <string>

namespace umavez::mailing {

// What tells a PostgreSQL database from all others: the server's identifier and the name.
Result<std::string> postgres_identity(Database& database);

// misconfigured: the folder belongs to another database; the sentence names the cure.
Result<void> claim(const Storage& storage, const std::string& identity);

}  // namespace umavez::mailing
