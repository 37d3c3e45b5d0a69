#include "database/sqlite/lane_queue.hpp"

#include "base/limits.hpp"

#include <ranges>

namespace umavez {

bool LaneQueue::push(Work& work)
{
    const std::lock_guard guard{mutex_};
    if (is_closed_) {
        work.result = fail(Errc::store_unavailable, "the database is being closed");
        return false;
    }
    // A completion is never turned away: its effect has happened.
    if (!work.is_urgent && ordinary_.size() >= limits::lane_queue_max) {
        work.result =
            fail(Errc::store_unavailable, "the queue of the database is full (lane_queue_max)");
        return false;
    }
    (work.is_urgent ? urgent_ : ordinary_).push_back(work);
    // Under the lock: whoever resumes the work may destroy the database before we got to notify.
    if (is_idle_) {
        is_idle_ = false;
        changed_.notify_one();
    }
    return true;
}

bool LaneQueue::take(std::vector<Work*>& members)
{
    std::unique_lock lock{mutex_};
    while (is_led_ || (urgent_.is_empty() && ordinary_.is_empty() && !is_wanted_)) {
        if (is_closed_ && !is_led_) return false;
        is_idle_ = !is_led_;
        if (is_led_ || !rider_due_at_) {
            changed_.wait(lock);
        } else {
            const auto due_at = *rider_due_at_;  // a caller that takes the turn forgets it
            if (changed_.wait_until(lock, due_at) == std::cv_status::timeout && !is_led_) break;
        }
    }
    is_idle_ = false;
    is_wanted_ = false;
    rider_due_at_.reset();
    take_batch(members);
    return true;
}

bool LaneQueue::try_take_turn()
{
    const std::lock_guard guard{mutex_};
    // An idle lane has nothing queued: whoever queues something ends its idleness.
    if (!is_idle_ || is_closed_) return false;
    is_idle_ = false;
    is_led_ = true;
    rider_due_at_.reset();
    return true;
}

void LaneQueue::give_turn_back(bool is_wanted)
{
    const std::lock_guard guard{mutex_};
    is_led_ = false;
    is_wanted_ = is_wanted;
    const bool has_work = !urgent_.is_empty() || !ordinary_.is_empty() || is_wanted_;
    is_idle_ = !has_work && !is_closed_;
    if (!is_idle_ || rider_due_at_) changed_.notify_one();
}

bool LaneQueue::take_queued(std::vector<Work*>& members)
{
    const std::lock_guard guard{mutex_};
    rider_due_at_.reset();
    take_batch(members);
    return !members.empty();
}

void LaneQueue::take_batch(std::vector<Work*>& members)
{
    std::size_t count = 0;
    for (WorkList* const list : {&urgent_, &ordinary_}) {
        while (!list->is_empty()) {
            const Work& next = list->front();
            const bool fits = count + next.members <= limits::batch_members_max && !next.is_alone;
            if (!fits && !members.empty()) return;
            count += next.members;
            members.push_back(&list->pop_front());
            if (!fits) return;  // alone, or as large as a batch
        }
    }
}

void LaneQueue::put_back(std::span<Work* const> members)
{
    const std::lock_guard guard{mutex_};
    for (Work* const work : members | std::views::reverse) {
        (work->is_urgent ? urgent_ : ordinary_).push_front(*work);
    }
}

void LaneQueue::expect_rider()
{
    const std::lock_guard guard{mutex_};
    if (rider_due_at_) return;
    rider_due_at_ = std::chrono::steady_clock::now() + tuning::notes_flush;
    if (is_idle_) changed_.notify_one();
}

void LaneQueue::close()
{
    const std::lock_guard guard{mutex_};
    is_closed_ = true;
    changed_.notify_one();
}

std::size_t LaneQueue::size() const
{
    const std::lock_guard guard{mutex_};
    return urgent_.size() + ordinary_.size();
}

}  // namespace umavez
