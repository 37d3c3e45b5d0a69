#pragma once

// The tables of the inbox, for Database::migrate. Immutable.

#include <umavez/transaction.hpp>

#include <span>

namespace umavez::webhook {

std::span<const Migration> migrations(Dialect dialect);

}  // namespace umavez::webhook
