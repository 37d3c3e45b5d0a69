#pragma once

// The tables of fiscal documents, for Database::migrate. Immutable.

#include <umavez/transaction.hpp>

#include <span>

namespace umavez::fiscal {

std::span<const Migration> migrations(Dialect dialect);

}  // namespace umavez::fiscal
