#pragma once

// Worker: threads that take due work from a table and run each item under a lease of the engine.
//
// Any number of workers, in any number of processes, share a table: the lease lets one of them run an item,
// and an item whose owner died is run again by whoever comes by after the lease. An item that killed its
// owners too often is dead. Those that were claimed beside it and died with it are not: what was taken
// before and not ended is claimed one at a time, so each counts its own deaths alone.
//
// Where items are short, a thread may run several in one transaction: one commit for many. Whatever goes
// wrong with one of them undoes them all, and each is run alone: what is true of an item is true of it alone.
//
// Thread-safe. Outlived by engine and database. stop() lets the items that run come to their end.

#include "work/work_table.hpp"

#include <umavez/engine.hpp>
#include <umavez/operation.hpp>
#include <umavez/transaction.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace umavez::work {

// Does the work and ends the run (end_run) in the transaction of what it did. An error means that the run
// was not ended: the key is freed, and the item is due again when its time of hiding is over. It may throw
// nothing.
using RunItem = std::function<Result<void>(Lease& lease, const Item& item)>;

// An item that is ours to run. Its lease is kept alive while it waits for a thread.
struct Claimed {
    Item item;
    Lease lease;
};

// Runs several items in one transaction, and ends them there (end_runs): one commit for all of them. Tells
// which were left and are to be run alone. An error means that none was ended: each is then run alone. It
// may throw nothing.
using RunItems = std::function<Result<std::vector<Item>>(std::span<Claimed> claimed)>;

struct WorkerOptions {
    std::size_t threads = 8;
    Duration period = std::chrono::seconds{1};   // between looks at a table that had nothing to do
    Duration hidden = std::chrono::seconds{30};  // as long as the lease
    // Taken in one look. Their claims share a commit, so many are cheap; but what waits here waits for nobody
    // else: few, where an item may take long.
    std::size_t items_max = 64;
    // Items that nobody took before may be run together, at most so many.
    RunItems run_together = {};
    std::size_t together_max = 1;
    // At a time: batches keep a database busy, and more of them only get into each other's way. Threads above
    // this are for items that run alone, and may wait for others than the database.
    std::size_t batches_max = 4;
    // An item was given up without having been run. It may throw nothing.
    std::function<void(const Item& item, const std::string& why)> on_dead = {};
};

class Worker {
public:
    Worker(
        Engine& engine, Database& database, WorkTable table, RunItem run_item, WorkerOptions options
    );
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Something became due in this process: look now.
    void wake();

    void stop();

    // Why the last look or run failed, if it did; told once.
    std::optional<std::string> take_trouble();

private:
    void run();
    // Empty: stopped.
    std::vector<Claimed> next_items();
    std::vector<Claimed> take_claimed();
    std::vector<Claimed> run_together(std::vector<Claimed> items);
    void run_alone(Claimed& claimed);
    bool fetch(std::unique_lock<std::mutex>& lock);
    std::vector<Item> take();
    std::vector<Item> leave_suspects(std::vector<Taken> taken);
    void clear_suspect(const Item& item);
    std::vector<Claimed> claim(const std::vector<Item>& items);
    void give_back(std::deque<Claimed> left);
    void end_unclaimed(const Item& item, const Outcome& outcome);
    void note_trouble(const Error& error);

    Engine& engine_;
    Database& database_;
    const WorkTable table_;
    const RunItem run_item_;
    const WorkerOptions options_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Claimed> claimed_;  // guarded by mutex_
    std::size_t alone_left_ = 0;   // guarded by mutex_: so many are not run together
    std::size_t batches_ = 0;      // guarded by mutex_: that run
    bool is_fetching_ = false;     // guarded by mutex_
    bool has_more_ = false;        // guarded by mutex_: the last look found all it asked for
    bool is_stopping_ = false;     // guarded by mutex_
    std::uint64_t wakes_ = 0;      // guarded by mutex_
    std::optional<Item>
        suspect_;  // guarded by mutex_: the one that was taken before and is at work
    std::optional<std::string> trouble_;  // guarded by mutex_
    std::vector<std::jthread> threads_;
};

struct RunPolicy {
    Duration lease = std::chrono::seconds{30};
    std::optional<Duration> retention = std::chrono::hours{24 * 30};
};

// The operation whose records are the runs of `table`, for Engine::declare. The engine's own worker leaves
// abandoned runs alone: their rows become due, and a Worker takes them over.
OperationSpec operation_of(const WorkTable& table, const RunPolicy& policy);

}  // namespace umavez::work
