#pragma once

// read(): one question to the database, in a read-only transaction of its own. Thread-safe; blocks.

#include <umavez/transaction.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace umavez::modules {

// What `question`, which makes a Result of a Transaction, found; or why it could not be asked. It may run
// more than once.
template <typename Question>
auto read(Database& database, const Question& question)
    -> std::invoke_result_t<const Question&, Transaction&>
{
    std::optional<std::invoke_result_t<const Question&, Transaction&>> answer;
    const auto done = database.read([&](Transaction& transaction) -> Result<void> {
        answer.emplace(question(transaction));
        if (!*answer) return std::unexpected(answer->error());
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return *std::move(answer);
}

}  // namespace umavez::modules
