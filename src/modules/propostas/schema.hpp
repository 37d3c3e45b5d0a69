#pragma once

// The tables of Propostas, for Database::migrate. Immutable.

#include <umavez/transaction.hpp>

#include <span>

namespace umavez::propostas {

std::span<const Migration> migrations(Dialect dialect);

}  // namespace umavez::propostas
