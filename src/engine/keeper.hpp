#pragma once

// Keeper: prolongs open leases and raises lost() in time.
//
// tick() is the unit: it looks at every open lease, raises lost() where the lease may have ended without our
// knowledge, and sends the heartbeats that are due. Rules in beat_rules.hpp. A tick never waits for the
// store, so a silent store cannot delay lost(). Thread-safe.

#include "engine/beat_rules.hpp"
#include "engine/lease_state.hpp"
#include "engine/timers.hpp"
#include "store/store.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace umavez {

class Keeper {
public:
    Keeper(Store& store, Timers& timers, const Clock& clock)
        : store_(store), timers_(timers), clock_(clock)
    {
    }

    // `shortest` lease of all operations: a tenth of it, at most a second, is the period of ticks. They start
    // with the first claim.
    void start(Duration shortest);

    // Ticks no more and raises lost() everywhere.
    void stop();

    // Before a lease is claimed: what ticks may be a thread that cannot be started.
    void get_ready()
    {
        if (!is_ticking_.load(std::memory_order_acquire)) begin_ticking();
    }

    // Until no heartbeat is on its way. Not for the timers' own thread.
    void drain();

    void add(LeaseState& lease);
    void remove(LeaseState& lease);

    std::stop_token lost(LeaseState& lease);
    bool is_lost(const LeaseState& lease);

    void tick();

private:
    struct alignas(64) Shard {
        std::mutex mutex;
        LeaseState* first = nullptr;
    };
    using Batch = std::vector<std::shared_ptr<LeaseState>>;
    struct Findings {
        Batch beating;
        Batch lost;
    };

    Shard& shard_of(const LeaseState& lease);
    void raise_lost(const Batch& leases);
    Findings look_through(Duration now, bool may_beat);
    Task<void> beat(Batch batch, Duration sent_at);
    // Whether the lease turned out to be lost.
    bool take_answer(LeaseState& lease, const Replaced* answer, Duration sent_at);
    void begin_ticking();
    void schedule_tick();

    Store& store_;
    Timers& timers_;
    const Clock& clock_;
    std::array<Shard, 16> shards_;

    std::mutex mutex_;
    // Guarded by mutex_.
    Duration period_{0};
    Timers::Id timer_ = 0;

    std::atomic<bool> is_ticking_{false};
    std::atomic<bool> stopping_{false};
    std::optional<Task<void>> beating_;  // confined to the timers' thread
    std::atomic<bool> is_beating_{false};
};

}  // namespace umavez
