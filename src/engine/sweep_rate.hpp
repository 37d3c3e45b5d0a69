#pragma once

// SweepRate: how many records a second the worker aims to sweep.
//
// A backlog is no reason to hurry: what expired does no harm for some minutes more, and claims notice a
// sweep that takes all the disk gives. So the rate is modest, but never less than a quarter more than the
// engine itself wrote lately: what comes in now must go one retention later, and records and entries of
// the audit are both swept. Processes that share a server each follow what they write themselves.
//
// Plain value; confined to the worker's thread.

#include <umavez/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace umavez {

class SweepRate {
public:
    // 170 million a day. Beside 300 claims a second on SQLite their p99 stayed within twice the quiet one;
    // with 4,000 it was three times that (docs/reference/performance.md).
    static constexpr double least = 2'000;
    static constexpr double ahead = 1.25;
    static constexpr Duration window = std::chrono::seconds{1};

    // `written`: records and entries of the audit since the engine started, at `now`.
    double update(std::uint64_t written, Duration now) noexcept
    {
        if (now - updated_at_ < window) return rate_;
        const double seconds = std::chrono::duration<double>(now - updated_at_).count();
        const auto more = static_cast<double>(written - std::min(written, written_));
        rate_ = std::max(least, ahead * more / seconds);
        written_ = written;
        updated_at_ = now;
        return rate_;
    }

private:
    double rate_ = least;
    std::uint64_t written_ = 0;
    Duration updated_at_{0};
};

}  // namespace umavez
