#pragma once

// The tables of the PostgreSQL store. Immutable.

#include <umavez/transaction.hpp>

#include <span>

namespace umavez {

std::span<const Migration> postgres_store_migrations();

}  // namespace umavez
