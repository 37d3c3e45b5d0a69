#include "database/postgres/postgres_database.hpp"

#include "database/lane_thread.hpp"

#include <algorithm>
#include <bit>

namespace umavez::pg {
namespace {

// Lanes of the store, one connection each: while one waits for its commit the other gathers.
constexpr std::size_t claim_lanes = 2;
constexpr std::size_t urgent_lanes = 2;

ConnectOptions to_connect(const PostgresUrl& url, const DatabaseOptions& options)
{
    ConnectOptions connect{
        .parameters = url.parameters,
        .is_pooled = url.is_pooled,
        .must_be_durable = options.durable,
        .limit = tuning::connect_limit,
    };
    const auto hosts = static_cast<std::int64_t>(Hosts{url.parameters}.size());
    connect.limit = std::max<Duration>(connect.limit / hosts, tuning::connect_limit_of_host);
    for (const auto& [name, value] : url.parameters) {
        if (name != "connect_timeout") continue;
        const int seconds = std::atoi(value.c_str());
        if (seconds > 0) connect.limit = std::chrono::seconds{seconds};
    }
    return connect;
}

std::optional<StoreClock> to_clock(const Clock* clock)
{
    if (clock == nullptr) return std::nullopt;
    return std::optional<StoreClock>{std::in_place, *clock};
}

std::size_t reader_count(const DatabaseOptions& options)
{
    return std::max<std::size_t>(options.readers, 1);
}

std::uint64_t next_number()
{
    // SQLite's databases have numbers of their own; the dialect tells them apart.
    static std::atomic<std::uint64_t> databases{0};
    return ++databases;
}

}  // namespace

Result<std::unique_ptr<PostgresDatabase>> PostgresDatabase::open(
    const PostgresUrl& url, const DatabaseOptions& options
)
{
    if (!options.threads) {
        return fail(
            Errc::misconfigured, "PostgreSQL needs threads: simulate on SQLite or in memory"
        );
    }
    const std::size_t connections = url.connections.value_or(options.connections);
    if (connections < 1 || connections > 256) {
        return fail(Errc::misconfigured, "connections: from 1 to 256");
    }
    std::unique_ptr<PostgresDatabase> database{new PostgresDatabase{url, options, connections}};
    auto reached = database->parts_->pool.open_first();
    if (reached) reached = database->prepare_meta(options.must_exist);
    if (!reached) {
        // A server that is away may come back; whatever else is wrong must be cured before the next start.
        const bool is_away = reached.error().code == Errc::store_unavailable;
        return fail(
            is_away ? Errc::store_unavailable : Errc::misconfigured,
            url.shown + ": " + reached.error().detail
        );
    }
    return database;
}

PostgresDatabase::PostgresDatabase(
    const PostgresUrl& url, const DatabaseOptions& options, std::size_t connections
)
    : url_(url.shown),
      number_(next_number()),
      is_pooled_(url.is_pooled),
      clock_(to_clock(options.clock)),
      parts_(std::make_unique<Parts>(
          PoolOptions{
              .connect = to_connect(url, options),
              .sizes = {connections, reader_count(options), claim_lanes, urgent_lanes},
          },
          connections,
          reader_count(options)
      ))
{
}

PostgresDatabase::~PostgresDatabase()
{
    // Closing the parent's connections would end its transactions, and its threads are not here to
    // join.
    if (is_in_child()) static_cast<void>(parts_.release());
}

// A closure on its way through a worker.
class PostgresDatabase::ClosureJob final : public Job {
public:
    ClosureJob(PostgresDatabase& database, const Closure& closure, const RunOptions& options)
        : database_(database), closure_(closure), options_(options)
    {
    }
    void run() noexcept override
    {
        try {
            result = database_.run(closure_, options_, asked_at_);
        } catch (...) {
            exception = std::current_exception();
        }
    }
    Result<void> take()
    {
        if (exception) std::rethrow_exception(exception);
        return std::move(result);
    }

    Result<void> result;
    std::exception_ptr exception;

private:
    PostgresDatabase& database_;
    const Closure& closure_;
    const RunOptions& options_;
    const Duration asked_at_ = system_clock().boottime();
};

Result<void> PostgresDatabase::check_caller() const
{
    if (on_lane_thread()) return fail_on_lane_thread();
    if (is_in_child()) {
        return fail(
            Errc::store_unavailable,
            "this process is a child of the one that opened the database: open it after fork()"
        );
    }
    return {};
}

Task<Result<void>> PostgresDatabase::async_run(Closure closure, RunOptions options)
{
    if (auto allowed = check_caller(); !allowed) co_return allowed;
    ClosureJob job{*this, closure, options};
    Workers& workers = options.access == Access::read ? parts_->readers : parts_->workers;
    co_await workers.run(job);
    co_return job.take();
}

Task<Result<void>> PostgresDatabase::async_transact(Closure closure)
{
    // A command inside a closure is hardly ever undone, and a closure may be run again.
    RunOptions options;
    options.savepoints = Savepoints::imagined;
    Result<void> done = co_await async_run(std::move(closure), options);
    co_return done;
}

Task<Result<void>> PostgresDatabase::async_read(Closure closure)
{
    RunOptions options;
    options.access = Access::read;
    options.run_limit = tuning::read_limit;
    Result<void> done = co_await async_run(std::move(closure), options);
    co_return done;
}

PostgresTransaction* PostgresDatabase::own(Transaction& transaction) const noexcept
{
    if (transaction.dialect() != Dialect::postgres) return nullptr;
    auto& postgres = static_cast<PostgresTransaction&>(transaction);
    return postgres.database() == number_ ? &postgres : nullptr;
}

DatabaseHealth PostgresDatabase::health()
{
    // Who only looks finds neither a full disk nor a server that became a standby.
    auto tried = transact([](Transaction& transaction) -> Result<void> {
        const auto touched =
            transaction.execute("UPDATE umavez_meta SET checks = checks + 1 WHERE id = 1");
        if (!touched) return std::unexpected(touched.error());
        return {};
    });
    if (tried) {
        tried = read([](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("SELECT checks FROM umavez_meta");
            if (!rows) return std::unexpected(rows.error());
            return {};
        });
    }
    if (tried) return {.reachable = true, .detail = "ok"};
    return {.reachable = false, .detail = tried.error().detail};
}

void PostgresDatabase::count_batch(std::size_t members) noexcept
{
    ++batches_;
    members_ += members;
    const auto size =
        static_cast<std::size_t>(std::bit_width(std::max<std::size_t>(members, 1) - 1));
    ++sizes_[std::min(size, sizes_.size() - 1)];
}

LaneStats PostgresDatabase::lane_stats() const
{
    LaneStats stats{
        .batches = batches_,
        .members = members_,
        .retried_alone = retried_alone_,
        .batches_rerun = reruns_,
        .queue_length = parts_->workers.queue_length() + parts_->readers.queue_length(),
    };
    for (std::size_t i = 0; i < sizes_.size(); ++i) stats.batch_sizes[i] = sizes_[i];
    return stats;
}

Result<void> PostgresDatabase::backup(const std::string&, std::stop_token)
{
    if (on_lane_thread()) return fail_on_lane_thread();
    return fail(
        Errc::invalid_argument,
        "PostgreSQL has its own tools for this: pg_dump for a copy, pg_basebackup and archived WAL "
        "for a restore to any moment"
    );
}

}  // namespace umavez::pg
