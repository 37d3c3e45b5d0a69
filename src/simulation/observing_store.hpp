#pragma once

// ObservingStore: closest to the real store, it writes down every change of a record as evidence.
// Confined to the simulation's thread.

#include "simulation/clocks.hpp"
#include "simulation/scene.hpp"
#include "simulation/store_decorator.hpp"

#include <map>
#include <optional>

namespace umavez::simulation {

class ObservingStore final : public StoreDecorator {
public:
    ObservingStore(Scene& scene, Store& inner, const StoreSideClock& clock)
        : StoreDecorator(inner), scene_(scene), clock_(clock)
    {
    }

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override;
    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override;
    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override;
    Async<Swept> sweep(std::size_t count_max, Duration audit_retention) override;

    // What a lagging replica might still show: the record before its last change.
    std::optional<Record> before_last_change(const RecordId& id) const;

    // A change that was not made through here. Nullopt: the record was swept.
    void observe(CallId call, const RecordId& id, std::optional<Record> after, Instant store_now);

    // The record after its last change; null: there is none.
    const Record* known(const RecordId& id) const;

private:

    Scene& scene_;
    const StoreSideClock& clock_;
    std::map<RecordId, Record> there_;
};

}  // namespace umavez::simulation
