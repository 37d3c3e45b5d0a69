#pragma once

// SweepPace: how much the worker sweeps at a time and how long it rests in between.
//
// Whoever comes while a sweep holds the lane waits for the rest of a step: a step is as many records as fit
// into 2 ms (10 ms where there are many writers), but at least 50, however long those take. After it the
// worker rests as long as it worked, at most 250 ms. docs/reference/performance.md tells what claims
// notice of it.
//
// Work is what was done inside the transaction: waiting for the lane or for the disk says that others are
// busy, and a sweep that gave way to that would never keep up with them. Confined to its thread.

#include <umavez/time.hpp>

#include <algorithm>
#include <cstddef>

namespace umavez {

class SweepPace {
public:
    // Where there is one writer claims wait for the step; elsewhere they only share the machine with it.
    static constexpr Duration step_alone = std::chrono::milliseconds{2};
    static constexpr Duration step_beside = std::chrono::milliseconds{10};
    static constexpr Duration pause_max = std::chrono::milliseconds{250};
    static constexpr std::size_t batch_min = 50;

    SweepPace(std::size_t batch_max, bool one_writer) noexcept
        : batch_max_(batch_max),
          step_(one_writer ? step_alone : step_beside),
          batch_(std::min(batch_max, batch_min))
    {
    }

    // Of the next step.
    std::size_t batch() const noexcept { return batch_; }

    // What to rest after a step that took away `records` in `work`.
    Duration rest_after(std::size_t records, Duration work) noexcept
    {
        // From one step to the next at most twice as many: one lucky step says little.
        std::size_t fits = batch_ * 2;
        if (work > Duration{0}) {
            const auto in_a_step = static_cast<std::size_t>(
                static_cast<Duration::rep>(std::max<std::size_t>(records, 1)) * step_.count() / work.count()
            );
            fits = std::min(fits, in_a_step);
        }
        batch_ = std::min(batch_max_, std::max(fits, batch_min));
        return std::min(work, pause_max);
    }

private:
    const std::size_t batch_max_;
    const Duration step_;
    std::size_t batch_;
};

}  // namespace umavez
