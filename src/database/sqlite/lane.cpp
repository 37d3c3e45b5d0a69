#include "database/sqlite/lane.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <bit>
#include <pthread.h>

namespace umavez {

static_assert(std::size_t{1} << (std::tuple_size_v<BatchSizes> - 1) == limits::batch_members_max);

Lane::Lane(std::unique_ptr<Connection> connection, const BatchRunnerOptions& options, bool threads)
    : has_thread_(threads), runner_(std::move(connection), options)
{
    members_.reserve(limits::batch_members_max);
    if (!has_thread_) return;
    thread_ = std::thread{[this] { loop(); }};
    pthread_setname_np(thread_.native_handle(), "umavez-lane");
}

Lane::~Lane()
{
    if (!has_thread_) return;
    queue_.close();
    thread_.join();
}

bool Lane::refuses(Work& work) const
{
    if (on_lane_thread()) {
        work.result = fail_on_lane_thread();
        return true;
    }
    if (!is_in_child()) return false;
    work.result = fail(
        Errc::invalid_argument,
        "the database was opened before fork(); open one in the child, or fork before opening"
    );
    return true;
}

bool Lane::submit(Work& work, std::coroutine_handle<> waiting, Scheduler& scheduler)
{
    if (has_thread_ && scheduler.may_block() && lead(work)) return false;
    if (has_thread_ || !scheduler.may_block()) {
        work.wait_with(waiting, scheduler);
        return queue_.push(work);
    }
    // Nobody else would run it while this thread waits: do it here, with what is queued before it.
    if (!queue_.push(work)) return false;
    while (step()) continue;
    return false;
}

// This thread would sleep until its work is done; where the lane sleeps too, it does the work itself.
bool Lane::lead(Work& work)
{
    if (!queue_.try_take_turn()) return false;
    struct Turn {
        Lane& lane;
        ~Turn() { lane.queue_.give_turn_back(lane.runner_.has_log_to_tend()); }
    } const turn{*this};
    members_.push_back(&work);
    run_batch();
    return true;
}

void Lane::loop()
{
    const LaneThreadMark mark;
    while (queue_.take(members_)) {
        run_batch();
        runner_.tend_log(others_wait());
    }
    members_.clear();
    run_batch();  // notes that still wait
}

bool Lane::step()
{
    const bool has_members = queue_.take_queued(members_);
    if (!has_members && !runner_.has_rider()) return false;
    try {
        run_batch();
        runner_.tend_log(false);
    } catch (...) {
        members_.clear();
        runner_.abandon();
        throw;
    }
    // Notes that could not land wait for better times; trying at once again would never end.
    return has_members || !runner_.has_rider();
}

void Lane::run_batch()
{
    if (members_.empty() && !runner_.has_rider()) {
        runner_.end_snapshots();  // nobody commits, and somebody may want the log to start over
        return;
    }
    const std::size_t count = runner_.run(members_);
    const std::span<Work* const> members = members_;
    if (count < members.size()) queue_.put_back(members.subspan(count));
    if (count > 0) count_batch(count);
    for (Work* const work : members.first(count)) work->answer();
    members_.clear();
}

void Lane::count_batch(std::size_t members)
{
    batches_.fetch_add(1, std::memory_order_relaxed);
    members_total_.fetch_add(members, std::memory_order_relaxed);
    const auto size = static_cast<std::size_t>(std::bit_width(members - 1));
    sizes_[std::min(size, sizes_.size() - 1)].fetch_add(1, std::memory_order_relaxed);
}

LaneStats Lane::stats() const
{
    LaneStats stats{
        .batches = batches_.load(),
        .members = members_total_.load(),
        .retried_alone = runner_.retried_alone(),
        .batches_rerun = runner_.batches_rerun(),
        .queue_length = queue_.size(),
    };
    for (std::size_t i = 0; i < sizes_.size(); ++i) stats.batch_sizes[i] = sizes_[i].load();
    return stats;
}

}  // namespace umavez
