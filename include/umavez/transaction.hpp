#pragma once

// Database, Transaction, Row: business rows and idempotency records in one commit.
//
// SQL is written once for every database: parameters are $1, $2, …; values are null, integers,
// reals, text and blobs. PostgreSQL's booleans and whole numerics are read as integers, other
// numerics as reals, and types that are none of these as their text; its text holds no NUL.
//
// A statement that fails spoils its transaction, or the nested() part it ran in: what follows there
// is refused and nothing of it is committed, so an error that was overlooked cannot become half an
// effect. To go on after an expected error (a unique violation, say) run the statement inside
// nested().

#include <umavez/result.hpp>
#include <umavez/task.hpp>
#include <umavez/time.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace umavez {

namespace detail {
class MediatorCore;
}

struct Blob {
    std::string bytes;
    friend bool operator==(const Blob&, const Blob&) = default;
};

using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
using Values = std::vector<Value>;

// One row of a result, columns by position. Reading a column as another type than it has, or one
// that is not there, is a bug of the caller and stops the program. A plain value.
class Row {
public:
    explicit Row(Values columns) noexcept : columns_(std::move(columns)) {}

    std::size_t size() const noexcept { return columns_.size(); }
    const Value& value(std::size_t column) const;
    bool is_null(std::size_t column) const;
    std::int64_t integer(std::size_t column) const;
    double real(std::size_t column) const;
    const std::string& text(std::size_t column) const;
    const std::string& blob(std::size_t column) const;

private:
    Values columns_;
};

using Rows = std::vector<Row>;

enum class Dialect : std::uint8_t { sqlite, postgres };

// One database transaction, lent to a closure for the length of its call. Never kept, never handed
// to another thread. Confined to the thread of the closure.
class Transaction {
public:
    virtual ~Transaction() = default;

    virtual Dialect dialect() const noexcept = 0;

    // The store's time, the same during one closure.
    virtual Instant now() const = 0;

    // Runs one statement and gives its rows.
    virtual Result<Rows> query(std::string_view sql, const Values& parameters = {}) = 0;

    // Runs one statement and tells how many rows it changed.
    virtual Result<std::int64_t> execute(std::string_view sql, const Values& parameters = {}) = 0;

    // Runs one INSERT of one row into a table whose key is an integer `id`, and tells that id. Nullopt: ON
    // CONFLICT DO NOTHING left the row out. Cheaper than RETURNING.
    virtual Result<std::optional<std::int64_t>> insert(
        std::string_view sql, const Values& parameters = {}
    ) = 0;

    // Runs `part` under a savepoint: its error, or its exception, undoes its statements and only
    // those, and the transaction goes on.
    Result<void> nested(const std::function<Result<void>()>& part);

    // Whether nothing of this closure, or of the nested() part that runs, will be committed.
    virtual bool is_spoiled() const noexcept = 0;

    // Undoes this closure as a whole: not even the end of a nested() part heals it. Gives `error`
    // back, to be returned.
    virtual std::unexpected<Error> spoil(Error error) = 0;

protected:
    // Savepoints, innermost last. A handler has nested(): it cannot end a savepoint that is not its
    // own.
    friend class AtomicRun;
    friend class EngineImpl;
    friend class detail::MediatorCore;
    virtual Result<void> begin_savepoint() = 0;
    // For what is hardly ever undone: an implementation may make a mark only, and run the closure again
    // when it must be undone after all.
    virtual Result<void> begin_unlikely_savepoint() { return begin_savepoint(); }
    virtual Result<void> release_savepoint() = 0;
    virtual Result<void> rollback_savepoint(
    ) = 0;  // undoes and removes it, and heals what was spoiled

    // Calls `then` once what was done here is durable, and never if it is undone, with its savepoint
    // or as a whole. For counters: it must be short, throw nothing and call no database.
    virtual void after_commit(std::function<void()> then) = 0;
};

// A numbered, named step of a module's schema. Never edited after it was released.
struct Migration {
    std::string module;  // "propostas"
    int version = 1;     // 1, 2, 3 … without gaps
    std::string sql;     // one or more statements, in the dialect of the database that runs it
};

struct MigrationState {
    std::string module;
    int applied = 0;
    int known = 0;
};

struct DatabaseOptions {
    // Test and simulation seams. They outlive the database.
    const Clock* clock = nullptr;  // nullptr: the system's clocks

    // Without threads nothing runs by itself: the owner calls Database::step(). For the simulator.
    bool threads = true;

    // SQLite: without `durable` a commit survives the process but not a power cut. For tests.
    bool durable = true;

    // Refuse to create a database that is not there.
    bool must_exist = false;

    std::size_t readers = 2;  // 0 to 64: threads that read beside the writer

    // PostgreSQL: connections for closures, 1 to 256. Lanes and readers have theirs besides.
    std::size_t connections = 16;
};

using Closure = std::function<Result<void>(Transaction&)>;

struct DatabaseHealth {
    bool reachable = false;
    std::string detail;
};

// Batches by their number of members: one, up to 2, up to 4, … up to 512.
using BatchSizes = std::array<std::uint64_t, 10>;

struct LaneStats {
    std::uint64_t batches = 0;
    std::uint64_t members = 0;
    std::uint64_t retried_alone = 0;  // members run again after their batch was lost
    std::uint64_t batches_rerun = 0;  // that had to undo a member, and were run again with savepoints
    std::uint64_t queue_length = 0;
    BatchSizes batch_sizes{};
};

// An open database. Closures run on its own threads, inside a transaction; on SQLite many share one
// commit.
//
// Closures may run more than once (only one run commits) and so may do nothing but SQL. A closure
// that calls the engine or the database again fails at once with wrong_thread.
//
// Thread-safe. Must outlive everything that uses it; destroying it finishes what is queued.
class Database {
public:
    virtual ~Database() = default;

    // Runs `closure` in a transaction under a savepoint of its own. Its error undoes its statements
    // and is returned. store_unavailable: nothing was committed. store_unknown: COMMIT got no
    // answer.
    virtual Task<Result<void>> async_transact(Closure closure) = 0;
    Result<void> transact(Closure closure) { return wait(async_transact(std::move(closure))); }

    // Runs `closure` in a read-only transaction that does not wait for writers.
    virtual Task<Result<void>> async_read(Closure closure) = 0;
    Result<void> read(Closure closure) { return wait(async_read(std::move(closure))); }

    // Applies what is missing, each step in a transaction of its own. Refuses a database whose
    // schema is newer than `migrations` know.
    virtual Result<void> migrate(std::span<const Migration> migrations) = 0;
    virtual Result<std::vector<MigrationState>> migration_state(
        std::span<const Migration> migrations
    ) = 0;

    virtual Dialect dialect() const noexcept = 0;
    virtual const std::string& url() const noexcept = 0;  // without secrets
    virtual DatabaseHealth health() = 0;                  // commits a small write, and reads
    virtual LaneStats lane_stats() const = 0;

    // A consistent copy at `path`, while writers go on. Replaces nothing: invalid_argument where the name
    // is taken. A `stop` in the middle leaves no copy and is store_unavailable.
    virtual Result<void> backup(const std::string& path, std::stop_token stop) = 0;
    Result<void> backup(const std::string& path) { return backup(path, {}); }

    // Without threads: runs what is queued and returns whether there was anything.
    virtual bool step() = 0;
};

// `sqlite:PATH`, `sqlite::memory:`: holds `<database>.lock` while open; a second process is refused
// with the id of the first. `postgres://user:password@host:port/database?parameters`: every parameter
// of libpq, and ours (docs/operating/postgres.md); many processes may open it.
Result<std::unique_ptr<Database>> open_database(
    std::string_view url, const DatabaseOptions& options = {}
);

}  // namespace umavez
