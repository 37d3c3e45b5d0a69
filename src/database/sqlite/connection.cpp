#include "database/sqlite/connection.hpp"

#include "database/sqlite/copier_vfs.hpp"
#include "database/sqlite/log_vfs.hpp"
#include "database/sqlite/sqlite_error.hpp"
#include "database/sqlite/tuning.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace umavez {
namespace {

const StaticSql begin_read_sql{"BEGIN"};
const StaticSql rollback_sql{"ROLLBACK"};

bool is_blank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const ConnectionOptions& options)
{
    std::unique_ptr<Connection> connection{new Connection{options}};
    if (auto opened = connection->open_handle(); !opened) return std::unexpected(opened.error());
    if (auto ready = connection->configure(); !ready) return std::unexpected(ready.error());
    return connection;
}

Connection::Connection(const ConnectionOptions& options)
    : options_(options), copies_taken_back_(copies_taken_back())
{
}

Connection::~Connection()
{
    ours_.clear();
    theirs_.clear();
    // Nothing of ours is left unfinished, so this closes at once.
    sqlite3_close_v2(handle_);
}

Result<void> Connection::open_handle()
{
    // Never SQLITE_OPEN_CREATE for a file: one that was deleted under us must not come back empty.
    const bool is_memory = options_.path.empty();
    const int access = is_reader() ? SQLITE_OPEN_READONLY
                       : is_memory ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                   : SQLITE_OPEN_READWRITE;
    const char* const path = is_memory ? ":memory:" : options_.path.c_str();
    // Without a flush at every commit, what is gathered would be missing where readers look for it.
    const bool gathers = is_lane() && !is_memory && options_.durable;
    const std::string vfs = gathers ? gathering_vfs() : is_copier() ? copier_vfs() : std::string{};
    const int code = sqlite3_open_v2(
        path, &handle_, access | SQLITE_OPEN_NOMUTEX, vfs.empty() ? nullptr : vfs.c_str()
    );
    if (handle_ == nullptr) return fail(Errc::store_unavailable, "out of memory");
    sqlite3_extended_result_codes(handle_, 1);
    if (code != SQLITE_OK) return std::unexpected(to_error(code, {}));
    return {};
}

Result<void> Connection::configure()
{
    sqlite3_busy_timeout(handle_, static_cast<int>(tuning::busy_timeout.count()));
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    // "text" in double quotes is a name, as in every other database.
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    sqlite3_progress_handler(handle_, tuning::progress_instructions, on_progress, this);
    sqlite3_set_authorizer(handle_, on_authorize, this);

    std::vector<std::string> pragmas = {
        fmt::format(
            "PRAGMA cache_size = -{}",
            is_reader() ? tuning::reader_cache_kib : tuning::lane_cache_kib_least
        ),
        "PRAGMA temp_store = MEMORY",
        "PRAGMA foreign_keys = ON",
    };
    if (!is_lane()) {
        // Readers never checkpoint, the copier only when it is told to: see log_copier.hpp.
        sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        pragmas.emplace_back("PRAGMA wal_autocheckpoint = 0");
    }
    if (is_reader()) {
        pragmas.emplace_back("PRAGMA query_only = ON");
    } else {
        pragmas.push_back(fmt::format("PRAGMA page_size = {}", tuning::page_bytes));
        pragmas.emplace_back("PRAGMA journal_mode = WAL");
        pragmas.push_back(fmt::format("PRAGMA synchronous = {}", options_.durable ? "FULL" : "OFF")
        );
    }
    for (const std::string& pragma : pragmas) {
        if (auto ran = run_pragma(pragma); !ran) return ran;
    }
    // The lane checkpoints between batches, after it has answered; this also turns off SQLite's
    // own.
    if (is_lane()) sqlite3_wal_hook(handle_, on_wal, this);
    return {};
}

Result<void> Connection::run_pragma(const std::string& sql)
{
    const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return std::unexpected(to_error(code, sql));
    return {};
}

Result<sqlite3_stmt*> Connection::compile(std::string_view sql)
{
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v3(
        handle_,
        sql.data(),
        static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT,
        &statement,
        &tail
    );
    if (code != SQLITE_OK) return std::unexpected(to_error(code, sql));
    const std::string_view rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
    if (statement == nullptr || !is_blank(rest)) {
        sqlite3_finalize(statement);
        return fail(Errc::sql, fmt::format("not exactly one statement: {}", sql));
    }
    return statement;
}

Result<Statement*> Connection::prepare(std::string_view sql)
{
    if (const auto known = theirs_.find(sql); known != theirs_.end()) {
        known->second->used_at = ++uses_;
        return known->second.get();
    }
    is_trusted_ = false;
    const auto handle = compile(sql);
    is_trusted_ = true;
    if (!handle) return std::unexpected(handle.error());
    auto statement = std::make_unique<Statement>(*handle);
    if (auto mapped = statement->map_parameters(); !mapped) return std::unexpected(mapped.error());
    if (theirs_.size() >= tuning::statements_cached_max) evict_statement();
    statement->used_at = ++uses_;
    return theirs_.emplace(std::string{sql}, std::move(statement)).first->second.get();
}

Result<Statement*> Connection::prepare(const StaticSql& sql)
{
    if (sql.slot() < ours_.size() && ours_[sql.slot()]) return ours_[sql.slot()].get();
    const auto handle = compile(sql.text());
    if (!handle) return std::unexpected(handle.error());
    if (ours_.size() <= sql.slot()) ours_.resize(sql.slot() + 1);
    ours_[sql.slot()] = std::make_unique<Statement>(*handle);
    return ours_[sql.slot()].get();
}

// A full cache is rare and small, so looking at all of it is cheaper than keeping it in order.
void Connection::evict_statement()
{
    const auto oldest = std::ranges::min_element(theirs_, {}, [](const auto& cached) {
        return cached.second->used_at;
    });
    theirs_.erase(oldest);
}

Result<void> Connection::execute(const StaticSql& sql)
{
    const auto statement = prepare(sql);
    if (!statement) return std::unexpected(statement.error());
    const StatementUse use{**statement};
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW) code = use->step();
    if (code != SQLITE_DONE) return std::unexpected(to_error(code, sql.text()));
    return {};
}

Result<std::int64_t> Connection::read_integer(const StaticSql& sql)
{
    const auto statement = prepare(sql);
    if (!statement) return std::unexpected(statement.error());
    const StatementUse use{**statement};
    const int code = use->step();
    if (code == SQLITE_ROW) return use->integer(0);
    if (code == SQLITE_DONE) return 0;
    return std::unexpected(to_error(code, sql.text()));
}

Result<void> Connection::run_script(std::string_view sql)
{
    is_trusted_ = false;
    const std::string text{sql};
    const int code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
    is_trusted_ = true;
    if (code != SQLITE_OK) return std::unexpected(to_error(code, sql));
    return {};
}

bool Connection::may_have_misread() const noexcept
{
    return !is_copier() && !options_.path.empty() && copies_lost() != copies_taken_back_;
}

bool Connection::has_moved() const noexcept
{
    int has_moved = 0;
    if (options_.path.empty()) return false;
    const int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    return code == SQLITE_OK && has_moved != 0;
}

Result<void> Connection::begin_reading()
{
    if (is_in_transaction()) {
        if (has_newest_snapshot()) return {};
        end_reading();
    }
    // Before the snapshot is taken, which the first SELECT does: it may be newer than this says, never older.
    if (!log_index_.is_known()) log_index_.find(handle_);
    if (log_index_.is_known()) snapshot_ = log_index_.head();
    return execute(begin_read_sql);
}

bool Connection::has_newest_snapshot() const noexcept
{
    return log_index_.is_known() && log_index_.head() == snapshot_;
}

std::optional<LogIndex::Head> Connection::snapshot() const noexcept
{
    if (!is_reader() || !log_index_.is_known() || !is_in_transaction()) return std::nullopt;
    return snapshot_;
}

void Connection::end_reading() noexcept
{
    if (is_in_transaction()) static_cast<void>(execute(rollback_sql));
}

bool Connection::is_in_transaction() const noexcept
{
    return sqlite3_get_autocommit(handle_) == 0;
}

std::int64_t Connection::changes_total() const noexcept
{
    return sqlite3_total_changes64(handle_);
}

std::int64_t Connection::changes_last() const noexcept
{
    return sqlite3_changes64(handle_);
}

void Connection::forget_last_row() noexcept
{
    sqlite3_set_last_insert_rowid(handle_, 0);
}

std::int64_t Connection::last_row() const noexcept
{
    return sqlite3_last_insert_rowid(handle_);
}

void Connection::arm(Duration limit)
{
    limit_ = limit;
    deadline_ = options_.clock->boottime() + limit;
}

bool Connection::is_overdue() const
{
    return deadline_ && options_.clock->boottime() > *deadline_;
}

Error Connection::overdue_error() const
{
    return {
        Errc::store_unavailable,
        fmt::format(
            "a closure ran longer than its limit of {} ms and was interrupted; nothing of it was "
            "kept: cut bulk work into closures of at most 1,000 rows",
            std::chrono::duration_cast<std::chrono::milliseconds>(limit_).count()
        ),
        std::source_location::current()
    };
}

Error Connection::to_error(int code, std::string_view sql)
{
    const int extended = handle_ == nullptr ? code : sqlite3_extended_errcode(handle_);
    // A call refused before it reached the engine leaves the previous error in place.
    const int exact = (extended & 0xff) == (code & 0xff) ? extended : code;
    if (umavez::needs_reopen(exact)) needs_reopen_ = true;
    is_disk_full_ = (exact & 0xff) == SQLITE_FULL;
    return umavez::to_error({
        .code = exact,
        .message = exact == extended && handle_ != nullptr ? sqlite3_errmsg(handle_)
                                                           : sqlite3_errstr(exact),
        .sql = sql,
        .path = options_.path.empty() ? std::string_view{"the database in memory"}
                                      : std::string_view{options_.path},
    });
}

int Connection::plan_log()
{
    sqlite3_file* file = nullptr;
    sqlite3_int64 size = 0;
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    if (file != nullptr && file->pMethods != nullptr) file->pMethods->xFileSize(file, &size);
    // What is refused here costs room or time, nothing else.
    if (const int cache_kib = tuning::lane_cache_kib(size); cache_kib_ != cache_kib) {
        cache_kib_ = cache_kib;
        static_cast<void>(run_pragma(fmt::format("PRAGMA cache_size = -{}", cache_kib)));
    }
    const int pages = tuning::checkpoint_pages(size);
    if (log_bytes_kept_ != tuning::wal_bytes(pages)) {
        log_bytes_kept_ = tuning::wal_bytes(pages);
        const std::string limit = fmt::format("PRAGMA journal_size_limit = {}", log_bytes_kept_);
        static_cast<void>(run_pragma(limit));
    }
    return pages;
}

Result<LogCopy> Connection::checkpoint(CheckpointMode mode)
{
    LogCopy copy;
    const bool truncates = mode == CheckpointMode::truncate;
    int code = sqlite3_wal_checkpoint_v2(
        handle_,
        "main",
        truncates ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
        &copy.pages,
        &copy.copied
    );
    if (code == SQLITE_OK && is_copier() && is_copy_lost()) code = SQLITE_IOERR_FSYNC;
    if (truncates) log_bytes_ = 0;
    if (code != SQLITE_OK) return std::unexpected(to_error(code, "checkpoint"));
    if (copy.copied == copy.pages) wal_pages_ = 0;
    return copy;
}

bool Connection::is_log_copied() noexcept
{
    if (!log_index_.is_known()) log_index_.find(handle_);
    return log_index_.is_known() && log_index_.is_log_copied();
}

bool Connection::forget_copies() noexcept
{
    if (!log_index_.is_known()) log_index_.find(handle_);
    return options_.path.empty() || (log_index_.is_known() && log_index_.forget_copies());
}

void Connection::leave_log() noexcept
{
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void Connection::on_copied(const LogCopy& copy) noexcept
{
    if (copy.copied == wal_pages_) wal_pages_ = 0;
}

bool Connection::is_log_short() const noexcept
{
    if (wal_pages_ == 0 || !options_.durable || options_.path.empty()) return false;
    return log_used() + tuning::wal_room_least > log_bytes_ && log_bytes_ < log_bytes_kept_;
}

void Connection::lengthen_log()
{
    sqlite3_file* log = nullptr;
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
    if (log == nullptr || log->pMethods == nullptr) return;
    sqlite3_int64 size = 0;
    if (log->pMethods->xFileSize(log, &size) != SQLITE_OK) return;
    log_bytes_ = std::max<std::int64_t>(size, log_used());
    if (!is_log_short()) return;
    const std::int64_t room =
        std::clamp(log_used(), tuning::wal_room_made_least, tuning::wal_room_made_most);
    const std::int64_t end = log_bytes_ + room;
    // Frames of zeros carry no valid checksum: a recovery of the log stops in front of them.
    // SQLite writes less than 128 KiB at once.
    static constexpr std::array<char, 64 * 1024> zeros{};
    int code = SQLITE_OK;
    for (std::int64_t at = log_bytes_; at < end && code == SQLITE_OK;) {
        const auto count = std::min<std::int64_t>(end - at, zeros.size());
        code = log->pMethods->xWrite(log, zeros.data(), static_cast<int>(count), at);
        at += count;
    }
    if (code == SQLITE_OK)
        code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
    if (code == SQLITE_OK) {
        log_bytes_ = end;
        return;
    }
    // On a full disk the room is worth more to whoever needs it next.
    log->pMethods->xTruncate(log, log_bytes_);
    log_bytes_ = log_bytes_kept_;
}

int Connection::on_progress(void* self)
{
    return static_cast<const Connection*>(self)->is_overdue() ? 1 : 0;
}

int Connection::
    on_authorize(void* self, int action, const char*, const char*, const char*, const char*)
{
    if (static_cast<const Connection*>(self)->is_trusted_) return SQLITE_OK;
    switch (action) {
        case SQLITE_TRANSACTION:
        case SQLITE_SAVEPOINT:
        case SQLITE_ATTACH:
        case SQLITE_DETACH:
        case SQLITE_PRAGMA: return SQLITE_DENY;
        default: return SQLITE_OK;
    }
}

int Connection::on_wal(void* self, sqlite3*, const char*, int pages)
{
    static_cast<Connection*>(self)->wal_pages_ = pages;
    return SQLITE_OK;
}

}  // namespace umavez
