#include "database/sqlite/sqlite_database.hpp"

#include "base/limits.hpp"
#include "database/sqlite/database_path.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <atomic>

namespace umavez {
namespace {

// Times are microseconds since 1970. `clock_mark` is the store's time at the last batch, `batch`
// its number.
constexpr std::string_view meta_schema = R"(
CREATE TABLE IF NOT EXISTS umavez_meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    clock_mark INTEGER NOT NULL,
    batch INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS umavez_migrations (
    module TEXT NOT NULL CHECK (length(module) BETWEEN 1 AND 100),
    version INTEGER NOT NULL CHECK (version >= 1),
    applied_at INTEGER NOT NULL,
    PRIMARY KEY (module, version)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO umavez_meta (id, clock_mark, batch) VALUES (1, 0, 0);
)";

const StaticSql begin_sql{"BEGIN IMMEDIATE"};
const StaticSql commit_sql{"COMMIT"};
const StaticSql is_prepared_sql{
    "SELECT count(*) FROM sqlite_schema WHERE name IN ('umavez_meta', 'umavez_migrations')"
};
const StaticSql clock_mark_sql{"SELECT clock_mark FROM umavez_meta WHERE id = 1"};
const StaticSql batch_sql{"SELECT batch FROM umavez_meta WHERE id = 1"};

Result<void> prepare_meta(Connection& connection)
{
    const auto tables = connection.read_integer(is_prepared_sql);
    if (!tables) return std::unexpected(tables.error());
    if (*tables == 2) return {};
    if (auto begun = connection.execute(begin_sql); !begun) return begun;
    if (auto made = connection.run_script(meta_schema); !made) return made;
    return connection.execute(commit_sql);
}

// SQLite opens a file it may not write as read-only, without a word.
Result<void> check_writable(const Connection& connection)
{
    if (sqlite3_db_readonly(connection.handle(), "main") != 1) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{} cannot be written: check its owner, its mode and the mount", connection.path()
        )
    );
}

// The store's time begins there, and everything that is written from then on.
Result<void> check_mark(const std::string& path, std::int64_t mark)
{
    if (mark >= 0 && mark <= limits::clock_micros_max) return {};
    return fail(
        Errc::corrupt_record,
        fmt::format(
            "{}: clock_mark in umavez_meta is {}, which no clock ever showed: check the disk, and "
            "restore a backup",
            path,
            mark
        )
    );
}

// What keeps a database from being opened is a setting, to be cured before the next start.
Error to_opening_error(Error error)
{
    error.code = Errc::misconfigured;
    return error;
}

}  // namespace

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(
    const SqliteUrl& url, const DatabaseOptions& options
)
{
    FileLock lock;
    std::string path;
    if (!url.is_memory()) {
        auto resolved = resolve_database_path(url.path, options.must_exist);
        if (!resolved) return std::unexpected(resolved.error());
        path = std::move(*resolved);
        auto locked = FileLock::acquire(path);
        if (!locked) return std::unexpected(locked.error());
        lock = std::move(*locked);
        if (auto created = create_database_file(path); !created) {
            return std::unexpected(created.error());
        }
    }
    const Clock& clock = options.clock != nullptr ? *options.clock : system_clock();
    static std::atomic<std::uint64_t> databases{0};
    const ConnectionOptions connection_options{
        .path = path,
        .durable = options.durable,
        .clock = &clock,
        .database = ++databases,
    };
    auto connection = Connection::open(connection_options);
    if (!connection) return std::unexpected(to_opening_error(connection.error()));
    if (auto writable = check_writable(**connection); !writable) {
        return std::unexpected(writable.error());
    }
    if (auto prepared = prepare_meta(**connection); !prepared) {
        return std::unexpected(to_opening_error(prepared.error()));
    }
    const auto mark = (*connection)->read_integer(clock_mark_sql);
    const auto batch = (*connection)->read_integer(batch_sql);
    if (!mark) return std::unexpected(to_opening_error(mark.error()));
    if (!batch) return std::unexpected(to_opening_error(batch.error()));
    if (auto checked = check_mark(path, *mark); !checked) {
        return std::unexpected(to_opening_error(checked.error()));
    }
    Opened opened{
        .lock = std::move(lock),
        .connection = std::move(*connection),
        .connection_options = connection_options,
        .clock = StoreClock{clock, from_micros(*mark)},
        .batch = *batch,
    };
    const std::string shown = url.is_memory() ? "sqlite::memory:" : "sqlite:" + path;
    return std::unique_ptr<SqliteDatabase>{new SqliteDatabase{shown, options, std::move(opened)}};
}

SqliteDatabase::SqliteDatabase(std::string url, const DatabaseOptions& options, Opened opened)
    : url_(std::move(url)),
      path_(opened.connection_options.path),
      number_(opened.connection_options.database),
      has_threads_(options.threads),
      lock_(std::move(opened.lock)),
      clock_(opened.clock),
      reader_pool_(path_.empty() || !options.threads ? std::size_t{0} : options.readers),
      lane_(
          std::move(opened.connection),
          BatchRunnerOptions{
              .connection = opened.connection_options,
              .clock = &clock_,
              .batch = opened.batch,
              .is_simulated = !options.threads,
              .readers = &*reader_pool_
          },
          options.threads
      ),
      readers_(
          ConnectionOptions{
              .path = path_,
              .role = ConnectionRole::reader,
              .clock = opened.connection_options.clock,
              .database = number_
          },
          *reader_pool_,
          clock_
      )
{
    reader_pool_->on_kept = [this] { lane_->expect_rider(); };
}

Task<Result<void>> SqliteDatabase::async_transact(Closure closure)
{
    ClosureWork work{closure};
    work.has_savepoint = true;
    Result<void> done = co_await on_lane(work);
    co_return done;
}

Task<Result<void>> SqliteDatabase::async_read(Closure closure)
{
    ClosureWork work{closure};
    work.access = Access::read;
    Result<void> done = co_await on_reader(work);
    co_return done;
}

bool SqliteDatabase::start_read(Work& work, std::coroutine_handle<> waiting, Scheduler& scheduler)
{
    if (!has_threads_) {
        lane_->run_read(work);
        return false;
    }
    // In memory there are no readers: the lane's connection is the only one that sees the data.
    if (readers_->count() == 0) return lane_->submit(work, waiting, scheduler);
    if (scheduler.may_block()) {
        readers_->run(work);
        return false;
    }
    if (work.is_brief && readers_->run_at_once(work)) return false;
    work.wait_with(waiting, scheduler);
    readers_->submit(work);
    return true;
}

SqliteTransaction* SqliteDatabase::own(Transaction& transaction) const noexcept
{
    if (transaction.dialect() != Dialect::sqlite) return nullptr;
    auto& sqlite = static_cast<SqliteTransaction&>(transaction);
    return sqlite.connection().database() == number_ ? &sqlite : nullptr;
}

DatabaseHealth SqliteDatabase::health()
{
    // Who only looks finds neither another program's lock nor a full disk.
    auto tried = transact([](Transaction& transaction) -> Result<void> {
        const auto touched = transaction.execute("UPDATE umavez_meta SET clock_mark = clock_mark");
        if (!touched) return std::unexpected(touched.error());
        return {};
    });
    // After a commit a reader believes none of the pages it has, so it finds a damaged file.
    if (tried) {
        tried = read([](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("SELECT count(*) FROM sqlite_schema");
            if (!rows) return std::unexpected(rows.error());
            return {};
        });
    }
    if (tried) return {.reachable = true, .detail = "ok"};
    return {.reachable = false, .detail = tried.error().detail};
}

}  // namespace umavez
