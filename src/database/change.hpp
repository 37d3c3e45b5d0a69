#pragma once

// change(): a statement of a closure whose answer is known beforehand.
//
// Where a question to the database is a round trip, such a statement waits for the next one that has a
// question: a closure with two reads and six writes makes four trips instead of nine. Confined to the thread
// of the transaction.

#include <umavez/transaction.hpp>

#include <cstdint>
#include <string_view>

namespace umavez {

// Runs one statement that changes so many rows. Should it change another number, nothing of the closure is
// kept (store_unavailable: somebody else was quicker). An error may come with what is asked next, or with
// the commit.
Result<void> change(
    Transaction& transaction, std::string_view sql, const Values& parameters, std::int64_t rows = 1
);

// A transaction that can let such statements wait.
class DefersChanges {
public:
    virtual ~DefersChanges() = default;
    virtual Result<void> change(
        std::string_view sql, const Values& parameters, std::int64_t rows
    ) = 0;
};

// The same at once.
Result<void> change_now(
    Transaction& transaction, std::string_view sql, const Values& parameters, std::int64_t rows
);

}  // namespace umavez
