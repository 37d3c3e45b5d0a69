#include "engine/keeper.hpp"

#include "base/fault_point.hpp"
#include "base/limits.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace umavez {
namespace {

LeaseTimes times_of(const LeaseState& lease, Duration now)
{
    return {.claimed_at = lease.claimed_at, .acknowledged_at = lease.acknowledged_at, .now = now};
}

Heartbeat heartbeat_of(const LeaseState& lease)
{
    const Policy& policy = lease.operation.policy;
    std::optional<Duration> expires_in;
    if (lease.may_vanish && policy.retention) expires_in = policy.lease + *policy.retention;
    return {.id = lease.id, .token = lease.token, .lease = policy.lease, .expires_in = expires_in};
}

}  // namespace

void Keeper::start(Duration shortest)
{
    const std::lock_guard guard{mutex_};
    period_ = std::clamp<Duration>(
        shortest / 10, std::chrono::milliseconds{1}, std::chrono::seconds{1}
    );
}

void Keeper::stop()
{
    Timers::Id timer = 0;
    {
        const std::lock_guard guard{mutex_};
        stopping_ = true;
        timer = timer_;
    }
    timers_.cancel(timer);
    Batch lost;
    for (Shard& shard : shards_) {
        const std::lock_guard guard{shard.mutex};
        for (LeaseState* lease = shard.first; lease != nullptr; lease = lease->next) {
            if (!std::exchange(lease->is_lost, true)) lost.push_back(lease->shared_from_this());
        }
    }
    raise_lost(lost);
}

void Keeper::drain()
{
    is_beating_.wait(true);
}

void Keeper::schedule_tick()
{
    if (stopping_) return;
    timer_ = timers_.schedule(period_, [this] {
        tick();
        const std::lock_guard guard{mutex_};
        schedule_tick();
    });
}

void Keeper::begin_ticking()
{
    const std::lock_guard guard{mutex_};
    if (is_ticking_) return;
    schedule_tick();
    is_ticking_ = true;
}

void Keeper::add(LeaseState& lease)
{
    Shard& shard = shard_of(lease);
    const std::lock_guard guard{shard.mutex};
    lease.is_kept = true;
    lease.is_lost = stopping_.load(std::memory_order_relaxed);  // nobody would send its heartbeats
    lease.previous = nullptr;
    lease.next = shard.first;
    if (shard.first != nullptr) shard.first->previous = &lease;
    shard.first = &lease;
}

void Keeper::remove(LeaseState& lease)
{
    Shard& shard = shard_of(lease);
    const std::lock_guard guard{shard.mutex};
    if (!std::exchange(lease.is_kept, false)) return;
    if (lease.next != nullptr) lease.next->previous = lease.previous;
    (lease.previous != nullptr ? lease.previous->next : shard.first) = lease.next;
}

std::stop_token Keeper::lost(LeaseState& lease)
{
    const std::lock_guard guard{shard_of(lease).mutex};
    if (!lease.lost.stop_possible()) {
        lease.lost = std::stop_source{};
        if (lease.is_lost) lease.lost.request_stop();
    }
    return lease.lost.get_token();
}

bool Keeper::is_lost(const LeaseState& lease)
{
    const std::lock_guard guard{shard_of(lease).mutex};
    return lease.is_lost;
}

// Of leases marked lost before. The stop is requested outside every lock: a callback may well complete the
// lease.
void Keeper::raise_lost(const Batch& leases)
{
    for (const auto& lease : leases) {
        lease->operation.tally.add(Count::leases_lost);
        std::stop_source lost{std::nostopstate};
        {
            const std::lock_guard guard{shard_of(*lease).mutex};
            lost = lease->lost;
        }
        lost.request_stop();
    }
}

void Keeper::tick()
{
    const Duration now = clock_.boottime();
    Findings findings = look_through(now, !is_beating_.load());
    raise_lost(findings.lost);
    if (findings.beating.empty()) return;
    is_beating_ = true;
    beating_ = beat(std::move(findings.beating), now);
    beating_->start(timers_.scheduler());
}

Keeper::Findings Keeper::look_through(Duration now, bool may_beat)
{
    Findings findings;
    for (Shard& shard : shards_) {
        const std::lock_guard guard{shard.mutex};
        for (LeaseState* lease = shard.first; lease != nullptr; lease = lease->next) {
            const Policy& policy = lease->operation.policy;
            const LeaseTimes times = times_of(*lease, now);
            if (may_be_lost(times, policy) || is_over_run_limit(times, policy)) {
                if (!std::exchange(lease->is_lost, true)) findings.lost.push_back(lease->shared_from_this());
            }
            // Even a lease that may be lost is asked for: if it is still ours, nobody else may run.
            if (may_beat && wants_heartbeat(times, policy)) {
                findings.beating.push_back(lease->shared_from_this());
            }
        }
    }
    return findings;
}

Task<void> Keeper::beat(Batch batch, Duration sent_at)
{
    struct Beating {
        std::atomic<bool>& is_beating;
        ~Beating()
        {
            is_beating = false;
            is_beating.notify_all();
        }
    } const beating{is_beating_};
    for (std::size_t first = 0; first < batch.size(); first += limits::batch_members_max) {
        const std::size_t count = std::min(batch.size() - first, limits::batch_members_max);
        const std::span<const std::shared_ptr<LeaseState>> slice{&batch[first], count};
        std::vector<Heartbeat> heartbeats;
        heartbeats.reserve(slice.size());
        for (const auto& lease : slice) heartbeats.push_back(heartbeat_of(*lease));
        co_await FaultPointReached{FaultPoint::heartbeat_before_write};
        const auto answers = co_await store_.heartbeat(std::move(heartbeats));
        co_await FaultPointReached{FaultPoint::heartbeat_after_write};

        Batch lost;
        for (std::size_t i = 0; i < slice.size(); ++i) {
            if (take_answer(*slice[i], answers ? &(*answers)[i] : nullptr, sent_at)) lost.push_back(slice[i]);
        }
        raise_lost(lost);
    }
}

bool Keeper::take_answer(LeaseState& lease, const Replaced* answer, Duration sent_at)
{
    const std::lock_guard guard{shard_of(lease).mutex};
    if (answer == nullptr) return false;  // the next tick asks again, lost() comes by time
    if (answer->done) {
        lease.acknowledged_at = std::max(lease.acknowledged_at, sent_at);
        return false;
    }
    // A lease that was completed meanwhile is not lost.
    return lease.is_kept && !std::exchange(lease.is_lost, true);
}

Keeper::Shard& Keeper::shard_of(const LeaseState& lease)
{
    return shards_[lease.token.execution[0] % shards_.size()];
}

}  // namespace umavez
