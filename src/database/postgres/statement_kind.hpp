#pragma once

// What can be told of a statement by its words. Pure; thread-safe.

#include <umavez/result.hpp>

#include <string>
#include <string_view>

namespace umavez::pg {

// Transactions, savepoints and the session: a closure that ended them would take its neighbours
// along.
bool is_ours_alone(std::string_view sql);

// A plain SELECT. Whatever may write is not.
bool only_reads(std::string_view sql);

// An INSERT that gives the id of its row. invalid_argument: one that may update an old row instead.
Result<std::string> returning_id(std::string_view sql);

}  // namespace umavez::pg
