#pragma once

// The tables of Cobrança, for Database::migrate. They need those of the outbox (messaging), which
// every change writes to. Immutable.

#include <umavez/transaction.hpp>

#include <span>

namespace umavez::cobranca {

std::span<const Migration> migrations(Dialect dialect);

}  // namespace umavez::cobranca
