#include "simulation/spot_transactions.hpp"

#include "base/fault_point.hpp"

#include <set>

namespace umavez::simulation {
namespace {

bool is_same(const std::optional<Record>& there, const Record* known)
{
    if (!there || known == nullptr) return there.has_value() == (known != nullptr);
    return there->token == known->token && there->status == known->status &&
           there->updated_at == known->updated_at;
}

}  // namespace

Result<void> SpotTransactions::run(CallId call, const Closure& closure, const Start& start)
{
    set_time();
    // Run again from its beginning if it must be: only the last run counts.
    Closure noted = [this, &closure](Transaction& transaction) {
        written_.clear();
        swept_.clear();
        Result<void> done = closure(transaction);
        strike(FaultPoint::lane_before_commit);
        return done;
    };
    const Result<void> done = wait(start(std::move(noted)));
    observe(call, done.has_value());
    strike(FaultPoint::lane_after_commit);
    return done;
}

void SpotTransactions::observe(CallId call, bool is_committed)
{
    std::set<RecordId> ids;
    for (const auto& [id, record] : written_) ids.insert(id);
    for (const RecordId& id : ids) observe_key(call, id, is_committed);
    if (!is_committed) return;
    for (const RecordId& id : swept_) observer_.observe(call, id, std::nullopt, clock_.realtime());
}

void SpotTransactions::observe_key(CallId call, const RecordId& id, bool is_committed)
{
    const auto seen = wait(ground_.store().find(id));
    if (!seen) {
        scene_.evidence.faults.push_back("a record cannot be read: " + seen.error().detail);
        return;
    }
    const Record* last = nullptr;
    for (const auto& [written_id, record] : written_) {
        if (written_id == id) last = &record;
    }
    // A savepoint may have undone what was written.
    if (is_same(seen->record, observer_.known(id))) return;
    if (!is_committed || !is_same(seen->record, last)) {
        scene_.evidence.faults.push_back(
            "neither as it was nor as a transaction wrote it: " + name_of(id)
        );
        return;
    }
    for (const auto& [written_id, record] : written_) {
        if (written_id == id) observer_.observe(call, id, record, clock_.realtime());
    }
}

}  // namespace umavez::simulation
