#pragma once

// LogPlan: when the log is copied into the database, and by whom.
//
// A checkpoint copies what was appended since the last one, so it takes less the more often it is made: the
// log of a lane with time to spare is copied every hundred pages. That of a lane that is busy all the time
// becomes long before, so that claims meet in the same pages (tuning.hpp). In between it follows the load.
//
// It is copied beside the lane (log_copier.hpp), and goes on growing: it only starts over when nothing is
// left to copy. By itself it does so when nobody commits during a copy. When it is long, what is left is
// copied beside the lane until it is little, and that is copied by the lane itself.
//
// Plain value; confined to the lane.

#include "database/sqlite/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace umavez {

enum class LogStep : std::uint8_t {
    none,
    copy_beside,
    copy_here,
    insist,  // wait for readers, then copy here
};

// The log as the lane finds it after a batch.
struct LogSight {
    int pages = 0;             // in it
    double share = 0;          // of its time that the lane is busy
    bool others_wait = false;  // for the lane
    bool has_copier = false;
};

// What a copy beside the lane came to.
struct CopiedBeside {
    int pages = 0;   // in the log when it began
    int copied = 0;  // of those, since the log started over; readers may hold the others
    int now = 0;     // in the log when the lane learns of it
};

enum class Checkpoint : std::uint8_t {
    tried,     // whether it copied all of the log or a reader kept it from some
    insisted,  // it waited for readers
    no_room,   // the disk is full
};

// After how many pages it is copied, for a lane that is busy for `share` of its time: between
// tuning::checkpoint_pages_idle and `planned`, which is for a busy one.
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

    // By the lane.
    void on_checkpoint(int pages, Checkpoint checkpoint) noexcept
    {
        tried_at_ = pages;
        last_ = checkpoint;
        copied_ = 0;
        copied_last_ = 0;
        came_ = 0;
    }

    // Nothing of it is copied any more.
    void on_forgotten() noexcept
    {
        copied_ = 0;
        copied_last_ = 0;
        came_ = 0;
        held_at_ = 0;
    }

    // Where it is not more than before, readers hold the log for long.
    void on_copied(const CopiedBeside& copy) noexcept
    {
        const int before = std::max(copied_, held_at_);
        held_at_ = copy.copied;
        if (copy.copied <= before) return on_checkpoint(copy.pages, Checkpoint::tried);
        copied_last_ = copy.copied - before;
        copied_ = copy.copied;
        came_ = std::max(copy.now - copy.pages, 0);
    }

    // How many of `pages` nobody has copied yet, as far as it is known.
    int uncopied(int pages) const noexcept { return std::max(pages - copied_, 0); }

    LogStep next(const LogSight& log) const
    {
        const bool ends = copied_ > 0 && log.pages >= end_at(log.share);
        const int due = ends ? copied_ : due_at(log.share);
        if (log.pages < due) return LogStep::none;
        // While copies come forward, no reader has to be waited for: the lane is too fast for them.
        if (is_late(log.pages)) return copied_ > 0 ? LogStep::copy_here : LogStep::insist;
        const int beyond = log.pages - due;  // if the log ends, that is all that is left
        const bool is_little = ends && beyond <= tuning::rest_pages_for_lane;
        if (log.has_copier && !is_little && !(ends && is_outrun(beyond)))
            return LogStep::copy_beside;
        if (log.others_wait && beyond < tuning::checkpoint_pages_put_off) return LogStep::none;
        return LogStep::copy_here;
    }

    // Pages at which the next copy is due. If the log did not start over after the last one, a reader
    // held it: then it only grows, and is tried again later. Where the disk is full, the next room that comes
    // free should not all go to the log.
    int due_at(double share) const
    {
        const int pages = log_pages(share, planned_);
        if (copied_ > 0) return copied_ + pages;
        if (tried_at_ == 0) return pages;
        switch (last_) {
            case Checkpoint::tried: break;
            case Checkpoint::insisted: return tried_at_ + tuning::checkpoint_pages_least;
            case Checkpoint::no_room:
                return tried_at_ + std::min(pages, tuning::checkpoint_pages_again);
        }
        return tried_at_ + std::min(pages, tuning::checkpoint_pages_held);
    }

    // Pages at which a log that is copied beside the lane shall start over.
    int end_at(double share) const
    {
        const int least = std::min(tuning::log_pages_before_restart, planned_);
        return std::max(log_pages(share, planned_), least);
    }

    // Whether it has become so long, held by readers or faster than it is copied, that the lane should wait.
    bool is_late(int pages) const noexcept
    {
        return pages >= planned_ + tuning::checkpoint_pages_late;
    }

private:
    // Whether what is left came during the last copy, which was no quicker than the lane: then copies would
    // never come to an end.
    bool is_outrun(int rest) const noexcept { return came_ >= copied_last_ && rest <= 2 * came_; }

    int planned_;
    int tried_at_ = 0;  // 0: not since it started over
    Checkpoint last_ = Checkpoint::tried;
    int copied_ = 0;       // beside the lane, since it started over, or since the lane copied
    int copied_last_ = 0;  // by the last of those copies
    int came_ = 0;         // during it
    int held_at_ = 0;      // how far the last copy came
};

}  // namespace umavez
