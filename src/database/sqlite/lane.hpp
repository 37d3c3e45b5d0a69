#pragma once

// Lane: the one writer of the file, and the thread behind it.
//
// It runs whatever gathered while the previous batch was committing. A caller that blocks anyway
// and finds the lane idle runs its own batch of one; checkpoints are left to the lane's thread.
// Without threads (the simulator) the owner calls step() instead.
//
// Thread-safe. Destroying it runs what is queued; without threads the queue is dropped untouched.

#include "base/fork.hpp"
#include "database/lane_thread.hpp"
#include "database/sqlite/batch_runner.hpp"
#include "database/sqlite/lane_queue.hpp"

#include <array>
#include <thread>

namespace umavez {

class Lane {
public:
    Lane(std::unique_ptr<Connection> connection, const BatchRunnerOptions& options, bool threads);
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    // `co_await lane.run(work)`: `work` is an object of the awaiting coroutine.
    struct Awaiter {
        Lane& lane;
        Work& work;

        bool await_ready() const { return lane.refuses(work); }
        template <typename Promise>
        bool await_suspend(std::coroutine_handle<Promise> waiting) const
        {
            return lane.submit(work, waiting, *waiting.promise().scheduler);
        }
        Result<void> await_resume() const { return work.take_answer(); }
    };
    Awaiter run(Work& work) noexcept { return {*this, work}; }

    // True: it is answered with the reason. A closure would wait for itself, and a child of fork()
    // has neither our thread nor our locks.
    bool refuses(Work& work) const;

    bool is_in_child() const noexcept { return fork_generation() != generation_; }

    // False: it is answered already, do not wait.
    bool submit(Work& work, std::coroutine_handle<> waiting, Scheduler& scheduler);

    // Without threads: one batch. What a fault point throws comes out of here, with nothing
    // committed or answered.
    bool step();

    // Without threads, or in memory.
    void run_read(Work& work) { runner_.run_read(work); }

    void add_rider(LaneRider& rider) { runner_.add_rider(rider); }
    void remove_rider(LaneRider& rider) { runner_.remove_rider(rider); }
    void expect_rider() { queue_.expect_rider(); }

    // Whether somebody is queued: what is not urgent may end early for them.
    bool others_wait() const { return queue_.size() > 0; }

    LaneStats stats() const;

private:
    void loop();
    bool lead(Work& work);
    void run_batch();
    void count_batch(std::size_t members);

    const bool has_thread_;
    const unsigned generation_ = fork_generation();
    LaneQueue queue_;
    BatchRunner runner_;
    std::vector<Work*> members_;
    std::atomic<std::uint64_t> batches_{0};
    std::atomic<std::uint64_t> members_total_{0};
    std::array<std::atomic<std::uint64_t>, std::tuple_size_v<BatchSizes>> sizes_{};
    std::thread thread_;  // last: everything else is there when it starts
};

}  // namespace umavez
