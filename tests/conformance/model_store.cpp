#include "conformance/model_store.hpp"

#include <algorithm>

namespace umavez::test {

Found ModelStore::insert_or_get(const RecordId& id, const Draft& draft, Instant now)
{
    const auto [there, inserted] = records_.try_emplace(id, to_record(draft, nullptr, now));
    return {inserted, there->second, now};
}

Replaced ModelStore::replace(
    const RecordId& id, const Expected& expected, const Draft& next, Instant now
)
{
    const auto there = records_.find(id);
    if (there == records_.end()) return {false, std::nullopt, now};
    const bool done = matches(there->second, expected, now);
    if (done) there->second = to_record(next, &there->second, now);
    return {done, there->second, now};
}

Replaced ModelStore::heartbeat(const Heartbeat& heartbeat, Instant now)
{
    const auto there = records_.find(heartbeat.id);
    if (there == records_.end()) return {false, std::nullopt, now};
    Record& record = there->second;
    const bool done = record.token == heartbeat.token && record.status == Status::processing;
    if (done) record.processing_expires_at = now + heartbeat.lease;
    if (done && heartbeat.expires_in) record.expires_at = now + *heartbeat.expires_in;
    return {done, record, now};
}

std::optional<Record> ModelStore::find(const RecordId& id) const
{
    const auto there = records_.find(id);
    return there == records_.end() ? std::nullopt : std::optional{there->second};
}

std::vector<RecordId> ModelStore::sweep(Instant now)
{
    std::vector<RecordId> swept;
    std::erase_if(records_, [&](const auto& each) {
        const bool spent = is_spent(each.second, now);
        if (spent) swept.push_back(each.first);
        return spent;
    });
    return swept;
}

std::vector<RecordId> ModelStore::due(const DueQuery& query, Instant now) const
{
    const auto asks = [](const std::vector<Operation>& operations, const RecordId& id) {
        return std::ranges::find(operations, id.operation) != operations.end();
    };
    std::vector<RecordId> due;
    for (const auto& [id, record] : records_) {
        const bool is_abandoned = is_lease_over(record, now) && asks(query.abandoned, id);
        const bool is_doubted = record.status == Status::in_doubt && record.retry_at &&
                                *record.retry_at <= now && asks(query.in_doubt, id);
        if (is_abandoned || is_doubted) due.push_back(id);
    }
    return due;
}

}  // namespace umavez::test
