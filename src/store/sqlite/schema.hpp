#pragma once

// The tables of the SQLite store. Steps are never edited after they were released. Immutable.

#include <umavez/transaction.hpp>

#include <span>

namespace umavez {

std::span<const Migration> sqlite_store_migrations();

}  // namespace umavez
