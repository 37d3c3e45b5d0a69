#pragma once

// LogKeeper: has the log copied into the database, by the thread beside the lane or by the lane itself, when
// the plan says so.
//
// Between batches whoever has the lane's turn lets it look at the log (tend). After a failure of the disk no
// copy is believed, because a flush that fails tells nothing about pages that were written before: the next
// one is of the whole log, and until that is sure nobody copies.
//
// The connection is the lane's own, lent for each call. Confined to the lane.

#include "database/sqlite/lane_load.hpp"
#include "database/sqlite/log_copier.hpp"
#include "database/sqlite/log_plan.hpp"
#include "database/sqlite/reader_pool.hpp"

#include <functional>
#include <memory>

namespace umavez {

struct LogKeeperOptions {
    ConnectionOptions connection;          // as the lane opens it
    ReaderPool* readers = nullptr;         // outlives the keeper; null: there are none
    bool copies_beside = true;             // otherwise the lane copies everything
    std::function<bool()> are_files_ours;  // whether the names still lead to what the lane has open
};

class LogKeeper {
public:
    explicit LogKeeper(LogKeeperOptions options) : options_(std::move(options)) {}

    // The lane has a new connection.
    void on_open(Connection& connection);
    // Before the lane closes it. Waits for a copy under way.
    void on_close(Connection& connection) noexcept;

    void on_batch(Duration began_at, Duration ended_at) noexcept
    {
        load_.on_batch(began_at, ended_at);
    }
    // The lane ended what it did between batches.
    void on_tended(Duration ended_at) noexcept { load_.on_log_tended(ended_at); }

    // Has it copied, if that is due. Where others wait already, what the lane has to copy itself is put off
    // for a while. True: nothing is due, and there is time to make the log longer. Waits for a copy under
    // way where the log has become too long.
    bool tend(Connection& connection, bool others_wait);
    // Whether tend() would do something.
    bool has_work(const Connection& connection) const;

    // All of it, at once: waits for a copy under way and for readers. An error: something is left, or not
    // surely flushed.
    Result<void> drain(Connection& connection);

    // No copy so far is believed.
    void distrust() noexcept { is_distrustful_ = true; }
    // Ends those that free readers keep.
    void end_snapshots();

private:
    LogStep next_step(const Connection& connection, bool others_wait) const;
    bool start_copy(const Connection& connection);
    bool take_copy(Connection& connection);
    void forget_copies(Connection& connection) noexcept;
    void copy_here(Connection& connection, LogStep step);

    const LogKeeperOptions options_;
    std::unique_ptr<LogCopier> copier_;  // from the first log that is copied beside the lane on
    LogPlan plan_{tuning::checkpoint_pages_least};
    LaneLoad load_;
    int pages_last_ = 0;
    bool is_distrustful_ = false;  // the next copy has to be of the whole log
};

}  // namespace umavez
