#pragma once

// LogPlan: at how many pages of log the lane copies it into the database.
//
// A checkpoint copies what was appended since the last one, so whoever comes while it runs waits for less the
// more often it is made: a lane with time to spare makes it every hundred pages. A lane that is busy all the
// time has longer logs, in which claims meet in the same pages (tuning.hpp). In between the length follows
// the load.
//
// Plain value; confined to the lane.

#include "database/sqlite/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace umavez {

enum class Checkpoint : std::uint8_t {
    tried,     // whether it copied all of the log or a reader kept it from some
    insisted,  // it waited for readers
    no_room,   // the disk is full
};

// The length for a lane that is busy for `share` of its time, between tuning::checkpoint_pages_idle and
// `planned`, which is for a busy one.
inline int log_pages(double share, int planned)
{
    const double halvings = std::max(tuning::lane_busy - share, 0.0) / tuning::lane_busy_halving;
    const double pages = static_cast<double>(planned) * std::exp2(-halvings);
    return std::max(static_cast<int>(pages), std::min(tuning::checkpoint_pages_idle, planned));
}

class LogPlan {
public:
    explicit LogPlan(int planned) noexcept : planned_(planned) {}

    // The log started over.
    void on_restart(int planned) noexcept { *this = LogPlan{planned}; }

    void on_checkpoint(int pages, Checkpoint checkpoint) noexcept
    {
        tried_at_ = pages;
        last_ = checkpoint;
    }

    // Pages at which the next checkpoint is due. If the log did not start over after the last one, a reader
    // held it: then it only grows, and is tried again later. Where the disk is full, the next room that comes
    // free should not all go to the log.
    int due_at(double share) const
    {
        if (tried_at_ == 0) return log_pages(share, planned_);
        switch (last_) {
            case Checkpoint::tried: break;
            case Checkpoint::insisted: return tried_at_ + tuning::checkpoint_pages_least;
            case Checkpoint::no_room:
                return tried_at_ +
                       std::min(log_pages(share, planned_), tuning::checkpoint_pages_again);
        }
        return tried_at_ + std::min(log_pages(share, planned_), tuning::checkpoint_pages_least);
    }

    // Whether readers have held it open for so long that the lane should wait for them.
    bool is_late(int pages) const noexcept
    {
        return pages >= planned_ + tuning::checkpoint_pages_late;
    }

private:
    int planned_;
    int tried_at_ = 0;  // 0: not since it started over
    Checkpoint last_ = Checkpoint::tried;
};

}  // namespace umavez
