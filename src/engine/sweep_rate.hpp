#pragma once

// SweepRate: how many records a second the worker aims to sweep.
//
// A backlog is no reason to hurry: what expired does no harm for some minutes more, and claims notice a
// sweep that takes all the disk gives. So the rate is modest, but never less than a quarter more than the
// engine itself wrote lately: what comes in now must go one retention later, and records and entries of
// the audit are both swept.
//
// An engine does not see what others write into its store, and a backlog may be so large that it never ends:
// every ten minutes in which no pass got to its end the least rate doubles, up to 32,000.
//
// Plain value; confined to the worker's thread.

#include <umavez/time.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

namespace umavez {

class SweepRate {
public:
    // 170 million a day. Beside 300 claims a second the p99 of a window of 3 s was 1.9 and 2.4 (SQLite), 0.9
    // and 1.1 (PostgreSQL) times the quiet one, medians of seven, two runs; with 4,000 three times on SQLite
    // (docs/reference/performance.md).
    static constexpr double least = 2'000;
    static constexpr double ahead = 1.25;
    static constexpr Duration window = std::chrono::seconds{1};
    static constexpr Duration patience = std::chrono::minutes{10};
    static constexpr double doublings_max = 4;

    // A pass over what is to be swept has ended: because nothing was left, or because its time was over.
    void on_pass(bool nothing_is_left, Duration now) noexcept
    {
        if (nothing_is_left) {
            behind_since_.reset();
        } else if (!behind_since_) {
            behind_since_ = now;
        }
    }

    // `written`: records and entries of the audit since the engine started, at `now`.
    double update(std::uint64_t written, Duration now) noexcept
    {
        if (now - updated_at_ < window) return rate_;
        const double seconds = std::chrono::duration<double>(now - updated_at_).count();
        const auto more = static_cast<double>(written - std::min(written, written_));
        rate_ = std::max(least * std::exp2(doublings(now)), ahead * more / seconds);
        written_ = written;
        updated_at_ = now;
        return rate_;
    }

private:
    double doublings(Duration now) const noexcept
    {
        if (!behind_since_) return 0;
        const std::chrono::duration<double> behind = now - *behind_since_;
        return std::clamp(behind / patience, 0.0, doublings_max);
    }

    double rate_ = least;
    std::optional<Duration> behind_since_;
    std::uint64_t written_ = 0;
    Duration updated_at_{0};
};

}  // namespace umavez
