#pragma once

// LaneLoad: which share of its time the lane spent on batches lately.
//
// Time is told by whoever has the turn. What the lane spends on its log is no load: otherwise short logs
// would look like a reason for long ones. A pause counts for little however long it was, as it does not tell
// what comes after it.
//
// Plain value; confined to the lane.

#include <umavez/time.hpp>

#include <algorithm>
#include <chrono>

namespace umavez {

class LaneLoad {
public:
    static constexpr Duration memory = std::chrono::milliseconds{200};  // of busy and idle time
    static constexpr Duration pause_max = std::chrono::milliseconds{10};

    void on_batch(Duration began_at, Duration ended_at) noexcept
    {
        const Duration idle = std::clamp(began_at - idle_since_, Duration{0}, pause_max);
        const Duration busy = std::max(ended_at - began_at, Duration{0});
        idle_since_ = ended_at;
        if (idle + busy == Duration{0}) return;
        const auto time = static_cast<double>((idle + busy).count());
        const double weight = std::min(time / static_cast<double>(memory.count()), 1.0);
        share_ += weight * (static_cast<double>(busy.count()) / time - share_);
    }

    void on_log_tended(Duration ended_at) noexcept { idle_since_ = ended_at; }

    // From 0, idle, to 1.
    double share() const noexcept { return share_; }

private:
    Duration idle_since_{0};
    double share_ = 0;
};

}  // namespace umavez
