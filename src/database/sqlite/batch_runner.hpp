#pragma once

// BatchRunner: runs the members of a batch in one transaction, and alone those that lost it.
//
// One COMMIT, one flush, for all of them. If the transaction is lost before COMMIT, nothing of the
// batch happened. If COMMIT itself failed, its frames may come back when the log is recovered: each
// batch carries its number into the database, so the next commit on the file, which this class
// makes at once, finds out whether it happened. Either way every member is then run once more,
// alone; whoever cannot be run gets store_unavailable, or store_unknown when not even that next
// commit succeeded.
//
// Members hardly ever have to be undone after they wrote, so a batch is run without real savepoints;
// one that needed them is rolled back and run again with them.
//
// Confined to the lane.

#include "base/store_clock.hpp"
#include "database/sqlite/file_id.hpp"
#include "database/sqlite/log_keeper.hpp"
#include "database/sqlite/work.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace umavez {

// Something that is written with every batch but for which nobody waits: the notes of a store.
class LaneRider {
public:
    virtual ~LaneRider() = default;
    virtual bool is_waiting() const noexcept = 0;
    virtual Result<void> ride(SqliteTransaction& transaction) = 0;
    // `kept`: what rode is durable. Otherwise it rides again.
    virtual void landed(bool kept) noexcept = 0;
    // What rode was refused by the database itself and would be again.
    virtual void refused() noexcept = 0;
};

struct BatchRunnerOptions {
    ConnectionOptions connection;
    const StoreClock* clock = nullptr;  // outlives the runner
    std::int64_t batch = 0;             // the number of the last one in the database
    bool is_simulated = false;          // what a closure throws may be the end of its process
    ReaderPool* readers = nullptr;      // outlives the runner; null: there are none
};

class BatchRunner {
public:
    BatchRunner(std::unique_ptr<Connection> connection, const BatchRunnerOptions& options);
    ~BatchRunner() { close_connection(); }
    BatchRunner(const BatchRunner&) = delete;
    BatchRunner& operator=(const BatchRunner&) = delete;

    // Runs members in order until the batch is full of closure time. The first n, which it returns,
    // have their answers; the others were not run.
    std::size_t run(std::span<Work* const> members);

    // Runs what only reads outside any batch, on committed state. For databases without readers.
    void run_read(Work& work);

    // Between batches, when everybody has been answered: a checkpoint, or room for the next ones. Where
    // others wait already, what the lane has to copy itself is put off for a while.
    void tend_log(bool others_wait);
    bool has_log_to_tend() const;
    // Those that free readers keep.
    void end_snapshots() { log_keeper_.end_snapshots(); }

    // Outlives the runner, or is removed: after that it is not touched any more. Several stores may
    // have one each. Thread-safe.
    void add_rider(LaneRider& rider);
    void remove_rider(LaneRider& rider);

    // Whether one is waiting.
    bool has_rider() const;

    // Gives up an open transaction. For a simulated death of the process.
    void abandon() noexcept;

    // Thread-safe.
    std::uint64_t retried_alone() const noexcept { return retried_alone_.load(); }
    std::uint64_t batches_rerun() const noexcept { return batches_rerun_.load(); }

private:
    enum class Fate : std::uint8_t {
        kept,
        undone,     // failed, and nothing of it is left in the transaction
        tainted,    // failed for good, and takes the transaction with it
        lost,       // the transaction is gone through no fault of its members
        unguarded,  // failed, and had no savepoint to go back to
    };
    enum class Commit : std::uint8_t { done, none, unknown };
    // Where a member began.
    struct Start {
        std::int64_t changes = 0;
        int depth = 0;
    };

    std::size_t run_together(std::span<Work* const> members);
    Result<void> begin();
    Result<void> ensure_connection();
    Result<void> begin_immediate();
    Fate run_member(Work& work, bool is_alone, Savepoints savepoints);
    Fate judge(Work& work, SqliteTransaction& transaction, const Start& start);
    Fate undo(SqliteTransaction& transaction, const Start& start);
    bool ride(LaneRider& rider);
    Commit ride_and_commit();
    void run_alone(Work& work);
    Commit commit();
    void call_after_commit() noexcept;
    Commit settle(std::int64_t number);
    Commit try_settle(std::int64_t number);
    Commit believe_after_checkpoint();
    Result<void> write_mark(std::int64_t number);
    void roll_back() noexcept;
    Result<void> check_files();
    Result<void> check_log() const;
    void close_connection() noexcept;
    void lengthen_log();
    bool are_files_ours() const;

    const BatchRunnerOptions options_;
    std::unique_ptr<Connection> connection_;
    const std::optional<FileId> file_id_;  // of the database, for as long as it is open
    std::int64_t batch_;
    std::int64_t changes_at_begin_ = 0;
    bool has_written_ = false;
    std::optional<FileId> log_id_;                     // of the log that the connection has open
    bool has_log_ = false;                             // the connection committed something to it
    std::vector<std::function<void()>> after_commit_;  // of the members that were kept
    int careful_batches_left_ = 0;                     // that are run with real savepoints
    LogKeeper log_keeper_;
    Error failure_{};                 // of the last commit
    mutable std::mutex rider_mutex_;  // held while they ride, until they have landed
    std::vector<LaneRider*> riders_;
    std::atomic<std::uint64_t> retried_alone_{0};
    std::atomic<std::uint64_t> batches_rerun_{0};
};

// Runs a work that only reads. True: it was brief, and its snapshot stays open on the reader's connection.
bool run_reading(Connection& connection, Work& work, const StoreClock& clock);

}  // namespace umavez
