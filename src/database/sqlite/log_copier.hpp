#pragma once

// LogCopier: copies the log into the database beside the lane, on a thread and a connection of its own.
//
// Most of a checkpoint is the flush of the database's pages, and the lane's batches need not wait for that.
// What the lane commits meanwhile is left for another copy, or for the lane: a log only starts over when
// everything in it is copied.
//
// SQLite before 3.51.3 can lose pages where one connection begins a checkpoint of a log that is copied
// already while another one starts that log over (sqlite.org/wal.html#walresetbug). So a copy is only begun
// while the log has pages that nobody copied, which is asked under the lock of checkpoints (copier_vfs.cpp),
// and nobody else copies until it has ended: then the log cannot start over before it has. The lane's own
// checkpoints need no such look: nobody but the lane starts the log over, and it does one thing at a time.
// Another program that writes into the file and checkpoints is not protected from us, nor we from it.
//
// Confined to whoever has the lane's turn, but for the copying itself.

#include "database/sqlite/connection.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace umavez {

class LogCopier {
public:
    // `options` are the lane's. The caller sees to it that both files are still those the lane has open.
    static Result<std::unique_ptr<LogCopier>> open(ConnectionOptions options);
    // Waits for a copy under way.
    ~LogCopier();
    LogCopier(const LogCopier&) = delete;
    LogCopier& operator=(const LogCopier&) = delete;

    // Begins a copy of the log, of which some `pages` are not copied yet. Not while one is under way.
    void start(int pages);
    bool is_busy() const noexcept { return is_busy_.load(std::memory_order_acquire); }
    // Until no copy is under way.
    void wait();

    // What the last copy came to, once. Nullopt: none has ended since.
    std::optional<Result<LogCopy>> take_result();
    bool has_result() const noexcept { return !is_busy() && result_.has_value(); }
    // Whether the disk failed in it. Not while one is under way.
    bool has_failed_disk() const noexcept { return connection_->needs_reopen(); }

private:
    explicit LogCopier(std::unique_ptr<Connection> connection);

    void loop();
    Result<LogCopy> copy(int portion_bytes);

    const std::unique_ptr<Connection> connection_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> is_busy_{false};  // written under the mutex
    int pages_ = 0;                     // to be copied; guarded by the mutex
    bool is_closed_ = false;            // guarded by the mutex
    // Of the thread while a copy is under way, else of whoever has the lane's turn.
    std::optional<Result<LogCopy>> result_;
    std::thread thread_;  // last: everything else is there when it starts
};

}  // namespace umavez
