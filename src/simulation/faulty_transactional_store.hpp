#pragma once

// FaultyTransactionalStore: FaultyStore for a store that lives in the process, with the transactional part
// handed on. Closures of the atomic mode are refused, delayed, or lose their answer like other writes.
// Confined to the simulation's thread.

#include "simulation/faulty_store.hpp"
#include "store/transactional_store.hpp"

#include <utility>
#include <vector>

namespace umavez::simulation {

class FaultyTransactionalStore final : public TransactionalStore {
public:
    FaultyTransactionalStore(Scene& scene, TransactionalStore& inner, NodeId node)
        : scene_(scene), inner_(inner), faulty_(scene, inner, {.node = node, .in_process = true})
    {
    }

    const StoreTraits& traits() const noexcept override { return faulty_.traits(); }
    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        return faulty_.insert_or_get(std::move(batch));
    }
    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        return faulty_.replace(std::move(batch));
    }
    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override
    {
        return faulty_.heartbeat(std::move(batch));
    }
    Async<Sighting> find(RecordId id) override { return faulty_.find(std::move(id)); }
    Async<Swept> sweep(std::size_t count_max, Duration audit_retention) override
    {
        return faulty_.sweep(count_max, audit_retention);
    }
    Async<Due> due(DueQuery query) override { return faulty_.due(std::move(query)); }
    Async<RecordsPage> scan(RecordsQuery query) override
    {
        return inner_.scan(std::move(query));
    }
    Async<StoreCounts> count() override { return inner_.count(); }
    void note(RecordId id, AuditNote audit) noexcept override
    {
        faulty_.note(std::move(id), std::move(audit));
    }
    Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) override
    {
        return inner_.timeline(std::move(id), count_max);
    }

    Database& database() noexcept override { return inner_.database(); }
    Result<Found> insert_or_get(Transaction& transaction, Insertion insertion) override
    {
        return inner_.insert_or_get(transaction, std::move(insertion));
    }
    Result<Replaced> replace(Transaction& transaction, Replacement replacement) override
    {
        return inner_.replace(transaction, std::move(replacement));
    }
    Result<Record> insert(Transaction& transaction, Insertion insertion) override
    {
        return inner_.insert(transaction, std::move(insertion));
    }
    Result<Sighting> find(Transaction& transaction, const RecordId& id) override
    {
        return inner_.find(transaction, id);
    }
    Result<void> append_audit(
        Transaction& transaction, const RecordId& id, const FencingToken& token, AuditNote note
    ) override
    {
        return inner_.append_audit(transaction, id, token, std::move(note));
    }
    Result<Swept> sweep(
        Transaction& transaction, std::size_t count_max, Duration audit_retention
    ) override
    {
        return inner_.sweep(transaction, count_max, audit_retention);
    }

    Task<Result<void>> async_run(Closure closure, RunLimits limits) override
    {
        const FaultyStore::Fate fate = faulty_.draw_fate(FaultyStore::Command::write);
        co_await Sleep{scene_.world, fate.there};
        if (fate.refused) co_return fail(*fate.refused, "the simulated store refuses");
        Result<void> done = co_await inner_.async_run(std::move(closure), limits);
        co_await Sleep{scene_.world, fate.back};
        if (fate.reply_lost) co_return fail(Errc::store_unknown, "the simulated answer was lost");
        co_return done;
    }

private:
    Scene& scene_;
    TransactionalStore& inner_;
    FaultyStore faulty_;
};

}  // namespace umavez::simulation
