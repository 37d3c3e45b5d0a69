#pragma once

// The tables of Mailing, for Database::migrate. They need those of messaging, whose outbox wakes the workers.
// Immutable.

#include <umavez/transaction.hpp>

#include <span>

namespace umavez::mailing {

std::span<const Migration> migrations(Dialect dialect);

}  // namespace umavez::mailing
