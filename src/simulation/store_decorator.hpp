#pragma once

// StoreDecorator: a store that hands everything on. Observers, faults and mutants override what they
// change. PortDecorator does the same for what implements more than the port: what `Port` adds to
// Store is left to the class that derives. As thread-safe as what it decorates.

#include "store/store.hpp"

#include <utility>
#include <vector>

namespace umavez::simulation {

template <typename Port>
class PortDecorator : public Port {
public:
    // `inner` outlives the decorator.
    explicit PortDecorator(Store& inner) : inner_(inner) {}

    // A port may add forms of its own under these names.
    using Port::find;
    using Port::insert_or_get;
    using Port::replace;
    using Port::sweep;

    const StoreTraits& traits() const noexcept override { return inner_.traits(); }
    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        return inner_.insert_or_get(std::move(batch));
    }
    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        return inner_.replace(std::move(batch));
    }
    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override
    {
        return inner_.heartbeat(std::move(batch));
    }
    Async<Sighting> find(RecordId id) override { return inner_.find(std::move(id)); }
    Async<Swept> sweep(std::size_t count_max, Duration audit_retention) override
    {
        return inner_.sweep(count_max, audit_retention);
    }
    Async<Due> due(DueQuery query) override { return inner_.due(std::move(query)); }
    Async<RecordsPage> scan(RecordsQuery query) override
    {
        return inner_.scan(std::move(query));
    }
    Async<StoreCounts> count() override { return inner_.count(); }
    Async<StoriesPage> stories(StoriesQuery query) override
    {
        return inner_.stories(std::move(query));
    }
    void look_at(const RecordIdView& id, const Look& look) const override
    {
        inner_.look_at(id, look);
    }
    void note(RecordId id, AuditNote audit) noexcept override
    {
        inner_.note(std::move(id), std::move(audit));
    }
    Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) override
    {
        return inner_.timeline(std::move(id), count_max);
    }

protected:
    Store& inner_;
};

using StoreDecorator = PortDecorator<Store>;

}  // namespace umavez::simulation
