#include "database/change.hpp"

namespace umavez {

Result<void> change(
    Transaction& transaction, std::string_view sql, const Values& parameters, std::int64_t rows
)
{
    if (auto* const defers = dynamic_cast<DefersChanges*>(&transaction)) {
        return defers->change(sql, parameters, rows);
    }
    return change_now(transaction, sql, parameters, rows);
}

Result<void> change_now(
    Transaction& transaction, std::string_view sql, const Values& parameters, std::int64_t rows
)
{
    const auto changed = transaction.execute(sql, parameters);
    if (!changed) return std::unexpected(changed.error());
    if (*changed == rows) return {};
    return transaction.spoil(
        {Errc::store_unavailable,
         "a row changed inside the transaction; try again",
         std::source_location::current()}
    );
}

}  // namespace umavez
