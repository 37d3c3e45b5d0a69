#include "engine/flights.hpp"

#include "base/limits.hpp"
#include "engine/key_hash.hpp"

#include <algorithm>
#include <utility>

namespace umavez {

struct Flights::Ticket::Waiter {
    std::mutex mutex;
    // Guarded by mutex.
    bool is_woken = false;
    std::coroutine_handle<> handle;  // set while suspended
    Scheduler* scheduler = nullptr;

    void wake(bool is_event)
    {
        const std::lock_guard guard{mutex};
        is_woken = is_woken || is_event;
        if (handle) scheduler->resume_soon(std::exchange(handle, {}));
    }
};

void Flights::Ticket::Wake::operator()() const
{
    waiter->wake(true);
}

Flights::Ticket::Ticket(Flights& flights, RecordId id, const std::stop_token& stop)
    : flights_(flights), id_(std::move(id))
{
    if (flights_.waiting_.fetch_add(1) >= limits::waiters_max) {
        flights_.waiting_.fetch_sub(1);
        return;
    }
    {
        Shard& shard = flights_.shard_of(id_);
        const std::lock_guard guard{shard.mutex};
        Entry& entry = shard.entries[id_];
        if (entry.waiters.size() >= limits::waiters_per_key_max) {
            flights_.waiting_.fetch_sub(1);
            return;
        }
        waiter_ = std::make_shared<Waiter>();
        entry.waiters.push_back(waiter_);
    }
    if (stop.stop_possible()) on_stop_.emplace(stop, Wake{waiter_});
}

Flights::Ticket::~Ticket()
{
    if (!waiter_) return;
    Shard& shard = flights_.shard_of(id_);
    {
        const std::lock_guard guard{shard.mutex};
        const auto found = shard.entries.find(id_);
        std::erase(found->second.waiters, waiter_);
        if (found->second.waiters.empty() && !found->second.running) shard.entries.erase(found);
    }
    flights_.waiting_.fetch_sub(1);
}

bool Flights::Ticket::Awaiter::suspend(std::coroutine_handle<> handle, Scheduler& scheduler)
{
    const std::lock_guard guard{waiter->mutex};
    if (waiter->is_woken) return false;
    // The callback keeps the waiter alive and does nothing if the event came first.
    timer = flights.timers_.schedule(timeout, [kept = waiter] { kept->wake(false); });
    // Last, because the first timer starts a thread, which may fail: nobody may wake who does not wait.
    waiter->handle = handle;
    waiter->scheduler = &scheduler;
    return true;
}

void Flights::Ticket::Awaiter::await_resume()
{
    if (timer != 0) flights.timers_.cancel(timer);
    const std::lock_guard guard{waiter->mutex};
    waiter->is_woken = false;
}

bool Flights::try_enter(const RecordId& id)
{
    Shard& shard = shard_of(id);
    const std::lock_guard guard{shard.mutex};
    return !std::exchange(shard.entries[id].running, true);
}

void Flights::leave(const RecordId& id)
{
    Shard& shard = shard_of(id);
    const std::lock_guard guard{shard.mutex};
    const auto found = shard.entries.find(id);
    found->second.running = false;
    wake(found->second);
    if (found->second.waiters.empty()) shard.entries.erase(found);
}

void Flights::notify(const RecordId& id)
{
    if (waiting_.load() == 0) return;
    Shard& shard = shard_of(id);
    const std::lock_guard guard{shard.mutex};
    const auto found = shard.entries.find(id);
    if (found != shard.entries.end()) wake(found->second);
}

Flights::Shard& Flights::shard_of(const RecordId& id)
{
    return shards_[key_hash(id) % shards_.size()];
}

void Flights::wake(const Entry& entry)
{
    for (const auto& waiter : entry.waiters) waiter->wake(true);
}

}  // namespace umavez
