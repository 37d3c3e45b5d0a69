#pragma once

// WaitingStore: a store on a real server, for a world in virtual time. Every call is waited for on
// the spot, so that nothing happens between two events of the simulation, and what the server keeps
// counts as durable: here no server is ever lost. Confined to the simulation's thread.

#include "store/store.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace umavez::simulation {

class WaitingStore final : public Store {
public:
    // `inner` outlives it. `before_call`: what has to be done before the server is asked.
    explicit WaitingStore(Store& inner, std::function<void()> before_call = [] {})
        : inner_(inner), before_call_(std::move(before_call)), traits_(inner.traits())
    {
        traits_.durable = true;
    }

    const StoreTraits& traits() const noexcept override { return traits_; }
    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        return now(inner_.insert_or_get(std::move(batch)));
    }
    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        return now(inner_.replace(std::move(batch)));
    }
    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override
    {
        return now(inner_.heartbeat(std::move(batch)));
    }
    Async<Sighting> find(RecordId id) override { return now(inner_.find(std::move(id))); }
    Async<Swept> sweep(std::size_t count_max, Duration audit_retention) override
    {
        return now(inner_.sweep(count_max, audit_retention));
    }
    Async<Due> due(DueQuery query) override { return now(inner_.due(std::move(query))); }
    Async<RecordsPage> scan(RecordsQuery query) override
    {
        return now(inner_.scan(std::move(query)));
    }
    Async<StoreCounts> count() override { return now(inner_.count()); }
    void note(RecordId id, AuditNote audit) noexcept override
    {
        inner_.note(std::move(id), std::move(audit));
    }
    Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) override
    {
        return now(inner_.timeline(std::move(id), count_max));
    }

private:
    template <typename Answer>
    Async<Answer> now(Async<Answer> task)
    {
        before_call_();  // a task is lazy: nothing was asked yet
        return Async<Answer>::ready(wait(std::move(task)));
    }

    Store& inner_;
    const std::function<void()> before_call_;
    StoreTraits traits_;
};

}  // namespace umavez::simulation
