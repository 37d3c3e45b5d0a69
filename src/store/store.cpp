#include "store/store.hpp"

#include <algorithm>

#include <utility>

namespace umavez {

Async<void> Store::insert_or_get_one(Insertion& insertion, Found& found)
{
    std::vector<Insertion> batch;
    batch.push_back(std::move(insertion));
    auto answers = co_await insert_or_get(std::move(batch));
    if (!answers) co_return std::unexpected(std::move(answers).error());
    found = std::move(answers->front());
    co_return Result<void>{};
}

Async<void> Store::replace_one(const RecordId& id, Change& change, Replaced& replaced)
{
    std::vector<Replacement> batch;
    batch.push_back({id, change.expected, std::move(change.next), std::move(change.audit)});
    auto answers = co_await replace(std::move(batch));
    if (!answers) co_return std::unexpected(std::move(answers).error());
    replaced = std::move(answers->front());
    co_return Result<void>{};
}

void StoreCount::add(const Record& record)
{
    ++records;
    oldest = std::min(oldest.value_or(record.updated_at), record.updated_at);
    const std::optional<Instant> end =
        record.status == Status::processing ? record.processing_expires_at : record.expires_at;
    if (end) first_end = std::min(first_end.value_or(*end), *end);
}

}  // namespace umavez
