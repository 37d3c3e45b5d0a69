#pragma once

// When a lease wants a heartbeat and when its owner must be told that it may be lost. Pure.

#include <umavez/policy.hpp>
#include <umavez/time.hpp>

namespace umavez {

struct LeaseTimes {
    Duration claimed_at;       // since boot
    Duration acknowledged_at;  // when the last acknowledged claim or heartbeat was sent
    Duration now;
};

// The store counted the lease from the moment our write arrived, which is after it was sent: this is safe.
constexpr bool may_be_lost(const LeaseTimes& times, const Policy& policy) noexcept
{
    return times.now >= times.acknowledged_at + policy.lease - policy.lease / 10;
}

constexpr bool is_over_run_limit(const LeaseTimes& times, const Policy& policy) noexcept
{
    return times.now >= times.claimed_at + policy.run_limit;
}

constexpr bool wants_heartbeat(const LeaseTimes& times, const Policy& policy) noexcept
{
    return times.now >= times.acknowledged_at + policy.lease / 3 && !is_over_run_limit(times, policy);
}

}  // namespace umavez
