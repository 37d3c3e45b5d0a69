#pragma once

// SqliteDatabase: one file, one lane that writes, a few readers.
//
// The SQLite store reaches the lane and the readers through on_lane() and on_reader(); everybody
// else knows only Database. A child of fork() is refused, and destroys its copy without touching the
// parent's files. Thread-safe.

#include "base/fork.hpp"
#include "database/sqlite/file_lock.hpp"
#include "database/sqlite/lane.hpp"
#include "database/sqlite/readers.hpp"
#include "database/url.hpp"

#include <umavez/transaction.hpp>

#include <memory>

namespace umavez {

class SqliteDatabase final : public Database {
public:
    static Result<std::unique_ptr<SqliteDatabase>> open(
        const SqliteUrl& url, const DatabaseOptions& options
    );

    Task<Result<void>> async_transact(Closure closure) override;
    Task<Result<void>> async_read(Closure closure) override;
    Result<void> migrate(std::span<const Migration> migrations) override;
    Result<std::vector<MigrationState>> migration_state(std::span<const Migration> migrations
    ) override;

    Dialect dialect() const noexcept override { return Dialect::sqlite; }
    const std::string& url() const noexcept override { return url_; }
    DatabaseHealth health() override;
    LaneStats lane_stats() const override { return lane_->stats(); }
    using Database::backup;
    Result<void> backup(const std::string& path, std::stop_token stop) override;
    bool step() override { return lane_->step(); }

    // For the store. `co_await` gives the Result<void> of the work.
    Lane::Awaiter on_lane(Work& work) noexcept { return lane_->run(work); }
    Lane& lane() noexcept { return *lane_; }
    const StoreClock& clock() const noexcept { return clock_; }

    // Null: a transaction of another database, whose rows would not commit with ours.
    SqliteTransaction* own(Transaction& transaction) const noexcept;

    struct ReadAwaiter {
        SqliteDatabase& database;
        Work& work;

        bool await_ready() const { return database.lane_->refuses(work); }
        template <typename Promise>
        bool await_suspend(std::coroutine_handle<Promise> waiting) const
        {
            return database.start_read(work, waiting, *waiting.promise().scheduler);
        }
        Result<void> await_resume() const { return work.take_answer(); }
    };
    // A work that only reads: `work.access` is not read_write.
    ReadAwaiter on_reader(Work& work) noexcept { return {*this, work}; }

    bool has_threads() const noexcept { return has_threads_; }
    // Whether reads go past the lane.
    bool reads_aside() const noexcept { return !has_threads_ || readers_->count() > 0; }

    // The path of the database, absolute; empty in memory.
    const std::string& path() const noexcept { return path_; }

private:
    struct Opened {
        FileLock lock;
        std::unique_ptr<Connection> connection;
        ConnectionOptions connection_options;
        StoreClock clock;
        std::int64_t batch = 0;
    };

    SqliteDatabase(std::string url, const DatabaseOptions& options, Opened opened);

    // False: done already.
    bool start_read(Work& work, std::coroutine_handle<> waiting, Scheduler& scheduler);

    const std::string url_;
    const std::string path_;
    const std::uint64_t number_;
    const bool has_threads_;
    FileLock lock_;
    const StoreClock clock_;
    OfThisProcess<ReaderPool> reader_pool_;
    OfThisProcess<Lane> lane_;
    // After the lane: its connection closes last, and so is the one that checkpoints.
    OfThisProcess<Readers> readers_;
};

// A closure as a work.
class ClosureWork final : public Work {
public:
    explicit ClosureWork(const Closure& closure) noexcept : closure_(closure) {}
    Result<void> run(SqliteTransaction& transaction) override { return closure_(transaction); }

private:
    const Closure& closure_;
};

}  // namespace umavez
