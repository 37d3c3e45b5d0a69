#include "simulation/observing_store.hpp"

#include <utility>

namespace umavez::simulation {

Async<std::vector<Found>> ObservingStore::insert_or_get(std::vector<Insertion> batch)
{
    const CallId call = co_await CurrentCall{};
    std::vector<RecordId> ids;
    for (const Insertion& insertion : batch) ids.push_back(insertion.id);
    Result<std::vector<Found>> answer = co_await inner_.insert_or_get(std::move(batch));
    for (std::size_t i = 0; answer && i < ids.size(); ++i) {
        const Found& found = (*answer)[i];
        if (found.inserted) observe(call, ids[i], found.record, found.now);
    }
    co_return answer;
}

Async<std::vector<Replaced>> ObservingStore::replace(std::vector<Replacement> batch)
{
    const CallId call = co_await CurrentCall{};
    std::vector<std::pair<RecordId, std::optional<StoredResponse>>> members;
    for (const Replacement& each : batch) members.emplace_back(each.id, each.next.response);
    Result<std::vector<Replaced>> answer = co_await inner_.replace(std::move(batch));
    for (std::size_t i = 0; answer && i < members.size(); ++i) {
        const Replaced& replaced = (*answer)[i];
        if (!replaced.done) continue;
        Record after = *replaced.record;
        after.response = std::move(members[i].second);  // a store need not copy it back
        observe(call, members[i].first, std::move(after), replaced.now);
    }
    co_return answer;
}

Async<std::vector<Replaced>> ObservingStore::heartbeat(std::vector<Heartbeat> batch)
{
    const CallId call = co_await CurrentCall{};
    std::map<RecordId, std::size_t> places;  // in the order of identity: batches have an order of their own
    for (std::size_t i = 0; i < batch.size(); ++i) places.emplace(batch[i].id, i);
    Result<std::vector<Replaced>> answer = co_await inner_.heartbeat(std::move(batch));
    if (!answer) co_return answer;
    for (const auto& [id, place] : places) {
        const Replaced& replaced = (*answer)[place];
        if (replaced.done) observe(call, id, *replaced.record, replaced.now);
    }
    co_return answer;
}

Async<Swept> ObservingStore::sweep(std::size_t count_max, Duration audit_retention)
{
    const CallId call = co_await CurrentCall{};
    Result<Swept> answer = co_await inner_.sweep(count_max, audit_retention);
    if (!answer) co_return answer;
    for (const RecordId& id : answer->ids) observe(call, id, std::nullopt, clock_.realtime());
    co_return answer;
}

std::optional<Record> ObservingStore::before_last_change(const RecordId& id) const
{
    const auto key = scene_.evidence.keys.find(id);
    if (key == scene_.evidence.keys.end() || key->second.changes.empty()) return std::nullopt;
    return key->second.changes.back().before;
}

const Record* ObservingStore::known(const RecordId& id) const
{
    const auto there = there_.find(id);
    return there == there_.end() ? nullptr : &there->second;
}

void ObservingStore::observe(
    CallId call, const RecordId& id, std::optional<Record> after, Instant store_now
)
{
    const auto there = there_.find(id);
    RecordChange change{
        .before = there == there_.end() ? std::nullopt : std::optional{there->second},
        .after = after,
        .store_now = store_now,
        .at = scene_.world.now(),
        .call = call,
    };
    const std::string_view status = after ? umavez::to_text(after->status) : "swept";
    scene_.world.tell(
        "write {} {} epoch {} by call {}", name_of(id), status,
        after ? after->token.epoch - to_micros(world_began) : 0, call
    );
    scene_.evidence.keys[id].changes.push_back(std::move(change));
    if (after) {
        there_.insert_or_assign(id, *std::move(after));
    } else {
        there_.erase(id);
    }
}

}  // namespace umavez::simulation
