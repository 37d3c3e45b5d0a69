#pragma once

// PostgresDatabase: a pool of connections; every closure is a transaction of its own.
//
// The PostgreSQL store reaches the pool through pool() and run(); everybody else knows only
// Database. Thread-safe.

#include "database/postgres/pool.hpp"
#include "database/postgres/postgres_transaction.hpp"
#include "database/postgres/schema_watch.hpp"
#include "database/postgres/url.hpp"
#include "database/postgres/workers.hpp"

#include <umavez/transaction.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>

namespace umavez::pg {

// How a closure is to be run.
struct RunOptions {
    Access access = Access::read_write;
    Savepoints savepoints = Savepoints::real;
    Duration run_limit = tuning::run_limit;
    Duration lock_timeout = tuning::lock_timeout;
    // It finds out by itself whether an earlier run committed: it is run again after a COMMIT
    // without an answer.
    bool finds_itself = false;
    // Told from a key that is held: a table that is locked. Null: nobody asks.
    const StaticSql* lock_probe = nullptr;
};

class PostgresDatabase final : public Database {
public:
    static Result<std::unique_ptr<PostgresDatabase>> open(
        const PostgresUrl& url, const DatabaseOptions& options
    );
    ~PostgresDatabase() override;

    Task<Result<void>> async_transact(Closure closure) override;
    Task<Result<void>> async_read(Closure closure) override;
    Result<void> migrate(std::span<const Migration> migrations) override;
    Result<std::vector<MigrationState>> migration_state(std::span<const Migration> migrations
    ) override;

    Dialect dialect() const noexcept override { return Dialect::postgres; }
    const std::string& url() const noexcept override { return url_; }
    DatabaseHealth health() override;
    LaneStats lane_stats() const override;
    using Database::backup;
    Result<void> backup(const std::string& path, std::stop_token stop) override;
    bool step() override { return false; }

    // For the store. Blocks, or hops to a worker, as the caller's scheduler wants.
    Task<Result<void>> async_run(Closure closure, RunOptions options);

    Pool& pool() noexcept { return parts_->pool; }
    Workers& readers() noexcept { return parts_->readers; }
    bool is_pooled() const noexcept { return is_pooled_; }
    // Before a write on this connection: whether the schema is still ours.
    Result<void> check_schema(Connection& connection) { return schema_.check(connection); }
    // A test's; null: the server's.
    const StoreClock* clock() const noexcept { return clock_ ? &*clock_ : nullptr; }
    // Null: a transaction of another database, whose rows would not commit with ours.
    PostgresTransaction* own(Transaction& transaction) const noexcept;
    // Why a call cannot be made from here: a closure would wait for itself, a child of fork() has
    // neither our threads nor our connections.
    Result<void> check_caller() const;
    bool is_in_child() const noexcept { return generation_ != fork_generation(); }
    // What a lane wrote.
    void count_batch(std::size_t members) noexcept;
    void count_retried(std::size_t members) noexcept { retried_alone_ += members; }

private:
    PostgresDatabase(
        const PostgresUrl& url, const DatabaseOptions& options, std::size_t connections
    );
    class ClosureJob;

    Result<void> run(const Closure& closure, const RunOptions& options, Duration asked_at);
    Result<void> prepare_meta(bool must_exist);

    const std::string url_;
    const std::uint64_t number_;
    const bool is_pooled_;
    const unsigned generation_ = fork_generation();
    const std::optional<StoreClock> clock_;
    SchemaWatch schema_;
    std::atomic<std::uint64_t> batches_{0};
    std::atomic<std::uint64_t> members_{0};
    std::atomic<std::uint64_t> retried_alone_{0};
    std::array<std::atomic<std::uint64_t>, std::tuple_size_v<BatchSizes>> sizes_{};
    std::atomic<std::uint64_t> reruns_{0};
    // Threads and connections. In a child of fork() they are the parent's, and are left alone.
    struct Parts {
        Parts(PoolOptions pool_options, std::size_t connections, std::size_t reader_count)
            : pool(std::move(pool_options)), workers(connections), readers(reader_count)
        {
        }
        Pool pool;
        Workers workers;
        Workers readers;
    };
    std::unique_ptr<Parts> parts_;
};

}  // namespace umavez::pg
