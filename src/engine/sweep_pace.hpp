#pragma once

// SweepPace: how much the worker sweeps at a time and how long it rests in between.
//
// Whoever comes while a sweep holds the lane, or the disk, waits for the rest of a step. So steps are small
// and follow each other at a steady rate: what one period of the rate brings, 5 records every 2.5 ms on
// SQLite. Where steps take long because others are busy, the next ones are larger by what was missed, up to
// 20 ms of the rate (40 where there are many writers), so that the sweep keeps up with them; what a longer
// stop made it miss is not made up for. On SQLite a step that keeps up ends early for others. No step takes
// more than fits into 2 ms of work (10 ms where there are many writers), but at least 10 records,
// however long those take, or 80 where nobody waits behind a step: a server that is far away takes its time
// for one record as for 80. And the worker rests at least as long as it worked, though not for more than
// 250 ms.
//
// Work is what was done inside the transaction: waiting for the lane or for the disk says that others are
// busy, and a sweep that gave way to that would never keep up with them. Confined to its thread.

#include "base/limits.hpp"

#include <umavez/time.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace umavez {

struct SweepStep {
    std::size_t records = 0;  // or entries of the audit, where those were more
    Duration work{0};
};

class SweepPace {
public:
    // Where there is one writer claims wait for the step; elsewhere they only share the machine with it.
    static constexpr Duration work_alone = std::chrono::milliseconds{2};
    static constexpr Duration work_beside = std::chrono::milliseconds{10};
    static constexpr Duration period_alone = std::chrono::microseconds{2'500};
    static constexpr Duration period_beside = std::chrono::milliseconds{10};
    static constexpr Duration missed_max_alone = std::chrono::milliseconds{20};
    static constexpr Duration missed_max_beside = std::chrono::milliseconds{40};
    static constexpr Duration rest_max = std::chrono::milliseconds{250};
    static constexpr std::size_t batch_min_alone = 10;
    static_assert(limits::sweep_polite_max < batch_min_alone, "who is behind must not give way for ever");
    static constexpr std::size_t batch_min_beside = 80;

    // `rate`: records a second. Times are readings of one clock, each not before the last.
    SweepPace(std::size_t batch_max, bool one_writer, double rate, Duration now) noexcept
        : batch_max_(batch_max),
          work_max_(one_writer ? work_alone : work_beside),
          rate_(rate),
          in_a_period_(rate * to_seconds(one_writer ? period_alone : period_beside)),
          owed_max_(rate * to_seconds(one_writer ? missed_max_alone : missed_max_beside)),
          batch_min_(one_writer ? batch_min_alone : batch_min_beside),
          fits_(std::min(batch_max, batch_min_)),
          owed_(in_a_period_),
          owed_at_(now)
    {
    }

    // Of a step that begins now.
    std::size_t batch(Duration now) noexcept
    {
        owe_until(now);
        return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(owed_, 1.0)), 1, fits_);
    }

    // What to rest after a step that ended now.
    Duration rest_after(const SweepStep& step, Duration now) noexcept
    {
        owed_ -= static_cast<double>(step.records);
        owe_until(now);
        fits_ = fitting(step);
        const double wanted = std::min(in_a_period_, static_cast<double>(fits_));
        const double seconds = std::max(wanted - owed_, 0.0) / rate_;
        const Duration until_owed{
            static_cast<Duration::rep>(std::ceil(seconds * Duration::period::den))
        };
        return std::min(std::max(step.work, until_owed), rest_max);
    }

private:
    static double to_seconds(Duration duration) noexcept
    {
        return std::chrono::duration<double>(duration).count();
    }

    void owe_until(Duration now) noexcept
    {
        owed_ = std::min(owed_ + rate_ * to_seconds(now - owed_at_), owed_max_);
        owed_at_ = now;
    }

    // From one step to the next at most twice as many: one lucky step says little.
    std::size_t fitting(const SweepStep& step) const noexcept
    {
        std::size_t fits = fits_ * 2;
        if (step.work > Duration{0}) {
            const auto records = static_cast<Duration::rep>(std::max<std::size_t>(step.records, 1));
            fits = std::min(
                fits, static_cast<std::size_t>(records * work_max_.count() / step.work.count())
            );
        }
        return std::min(batch_max_, std::max(fits, batch_min_));
    }

    const std::size_t batch_max_;
    const Duration work_max_;
    const double rate_;
    const double in_a_period_;
    const double owed_max_;
    const std::size_t batch_min_;
    std::size_t fits_;
    double owed_;  // records that the rate has brought until `owed_at_` and no step has taken
    Duration owed_at_;
};

}  // namespace umavez
