#pragma once

// LaneQueue: where requests meet the lane. While the lane commits one batch the next one gathers
// here, so batches grow by themselves under load and a lone request never waits for company.
//
// It also says whose turn it is to run batches: the lane's thread, or for one batch a caller that
// found the lane idle and would only have waited (two wake-ups less: 0.1 ms of a lone claim's 0.4).
//
// Thread-safe; take() and put_back() are for whoever has the turn.

#include "database/sqlite/work.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace umavez {

class LaneQueue {
public:
    // Refuses when the queue is full or closed; then `work.result` says so and nobody will answer
    // it.
    bool push(Work& work);

    // Fills `members` with what is queued, the urgent first, up to one batch. Blocks while there is
    // nothing; false: closed and empty. No members: notes have waited long enough, or a caller that
    // had the turn wants the file looked after.
    bool take(std::vector<Work*>& members);
    // The same without blocking; false: nothing was queued.
    bool take_queued(std::vector<Work*>& members);

    // True: nothing is queued and the turn is the caller's, until give_turn_back(). `is_wanted`: the
    // lane's thread should look after its file, even if nothing is queued.
    bool try_take_turn();
    void give_turn_back(bool is_wanted);

    // What a closed batch had no time for goes first again.
    void put_back(std::span<Work* const> members);

    // A note waits for a batch to ride on; an idle lane makes one soon.
    void expect_rider();

    // What is queued is still run.
    void close();

    std::size_t size() const;

private:
    void take_batch(std::vector<Work*>& members);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    WorkList urgent_;
    WorkList ordinary_;
    bool is_idle_ = false;    // the lane's thread sleeps, and may be woken or led
    bool is_led_ = false;     // a caller has the turn
    bool is_wanted_ = false;  // by a caller that had the turn
    bool is_closed_ = false;
    std::optional<std::chrono::steady_clock::time_point> rider_due_at_;
};

}  // namespace umavez
