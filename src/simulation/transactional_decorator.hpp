#pragma once

// TransactionalDecorator: StoreDecorator for a store that shares transactions with business rows. The port
// and the transactional part may be handed on to two objects. As thread-safe as what it decorates.

#include "simulation/store_decorator.hpp"
#include "store/transactional_store.hpp"

#include <utility>

namespace umavez::simulation {

class TransactionalDecorator : public PortDecorator<TransactionalStore> {
public:
    // Both outlive the decorator.
    TransactionalDecorator(Store& port, TransactionalStore& transactional)
        : PortDecorator(port), transactional_(transactional)
    {
    }

    using PortDecorator::find;
    using PortDecorator::insert_or_get;
    using PortDecorator::replace;
    using PortDecorator::sweep;

    Database& database() noexcept override { return transactional_.database(); }
    Result<Found> insert_or_get(Transaction& transaction, Insertion insertion) override
    {
        return transactional_.insert_or_get(transaction, std::move(insertion));
    }
    Result<Replaced> replace(Transaction& transaction, Replacement replacement) override
    {
        return transactional_.replace(transaction, std::move(replacement));
    }
    Result<Record> insert(Transaction& transaction, Insertion insertion) override
    {
        return transactional_.insert(transaction, std::move(insertion));
    }
    Result<Sighting> find(Transaction& transaction, const RecordId& id) override
    {
        return transactional_.find(transaction, id);
    }
    Result<void> append_audit(
        Transaction& transaction, const RecordId& id, const FencingToken& token, AuditNote note
    ) override
    {
        return transactional_.append_audit(transaction, id, token, std::move(note));
    }
    Result<Swept> sweep(
        Transaction& transaction, std::size_t count_max, Duration audit_retention
    ) override
    {
        return transactional_.sweep(transaction, count_max, audit_retention);
    }

    Task<Result<void>> async_run(Closure closure, RunLimits limits) override
    {
        return transactional_.async_run(std::move(closure), limits);
    }
    Task<Result<void>> async_look(Closure closure) override
    {
        return transactional_.async_look(std::move(closure));
    }

protected:
    TransactionalStore& transactional_;
};

}  // namespace umavez::simulation
