#include "simulation/spot_store.hpp"

#include "simulation/shop.hpp"

#include <coroutine>
#include <utility>

namespace umavez::simulation {

Result<Found> SpotStore::insert_or_get(Transaction& transaction, Insertion insertion)
{
    const RecordId id = insertion.id;
    auto found = transactional_.insert_or_get(transaction, std::move(insertion));
    if (found && found->inserted) transactions_.wrote(id, found->record);
    return found;
}

Result<Replaced> SpotStore::replace(Transaction& transaction, Replacement replacement)
{
    const RecordId id = replacement.id;
    const std::optional<StoredResponse> response = replacement.next.response;
    auto replaced = transactional_.replace(transaction, std::move(replacement));
    if (replaced && replaced->done) {
        Record record = *replaced->record;
        record.response = response;  // a store need not copy it back
        transactions_.wrote(id, std::move(record));
    }
    return replaced;
}

Result<Record> SpotStore::insert(Transaction& transaction, Insertion insertion)
{
    const RecordId id = insertion.id;
    const std::optional<StoredResponse> response = insertion.draft.response;
    auto inserted = transactional_.insert(transaction, std::move(insertion));
    if (inserted) {
        Record record = *inserted;
        record.response = response;
        transactions_.wrote(id, std::move(record));
    }
    return inserted;
}

Result<Swept> SpotStore::sweep(
    Transaction& transaction, std::size_t count_max, Duration audit_retention
)
{
    auto swept = transactional_.sweep(transaction, count_max, audit_retention);
    if (swept) transactions_.swept(swept->ids);
    return swept;
}

Task<Result<void>> SpotStore::async_run(Closure closure, RunLimits limits)
{
    SpotTransactions::Start start = [this, limits](Closure noted) {
        return transactional_.async_run(std::move(noted), limits);
    };
    return send(std::move(closure), std::move(start));
}

Task<Result<void>> SpotStore::async_look(Closure closure)
{
    set_time();
    return Task<Result<void>>::ready(wait(transactional_.async_look(std::move(closure))));
}

Task<Result<void>> SpotStore::send(Closure closure, SpotTransactions::Start start)
{
    const CallId call = co_await CurrentCall{};
    // Killed in this very event: the code that still runs belongs to a process that is no more.
    if (!scene_.world.is_alive(node_)) co_await std::suspend_always{};
    const FaultyStore::Fate fate = faulty_.draw_fate(FaultyStore::Command::write);
    co_await Sleep{scene_.world, fate.there};
    if (fate.refused) co_return fail(*fate.refused, "the simulated store refuses");
    Result<void> done;
    bool has_died = false;
    try {
        done = transactions_.run(call, closure, start);
    } catch (const ProcessDied&) {
        has_died = true;
        scene_.world.tell("node {} died inside a transaction", node_);
    }
    if (has_died) co_await std::suspend_always{};
    co_await Sleep{scene_.world, fate.back};
    if (fate.reply_lost) co_return fail(Errc::store_unknown, "the simulated answer was lost");
    co_return done;
}

Task<Result<void>> SpotDatabase::async_transact(Closure closure)
{
    SpotTransactions::Start start = [this](Closure noted) {
        return inner_.async_transact(std::move(noted));
    };
    return store_.send(std::move(closure), std::move(start));
}

Task<Result<void>> SpotDatabase::async_read(Closure closure)
{
    store_.set_time();
    return Task<Result<void>>::ready(wait(inner_.async_read(std::move(closure))));
}

}  // namespace umavez::simulation
