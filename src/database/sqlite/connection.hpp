#pragma once

// Connection: one handle of SQLite with its prepared statements, and the deadline of what runs on
// it.
//
// Statements that come from closures may not touch transactions, pragmas or attached databases; ours may.
//
// Confined to one thread at a time.

#include "database/sqlite/log_index.hpp"
#include "database/sqlite/statement.hpp"
#include "database/sqlite/tuning.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

struct sqlite3;

namespace umavez {

enum class ConnectionRole : std::uint8_t {
    lane,    // reads, writes and checkpoints
    reader,  // read-only
    copier,  // checkpoints, and nothing else
};

struct ConnectionOptions {
    std::string path;  // empty: in memory
    ConnectionRole role = ConnectionRole::lane;
    bool durable = true;
    const Clock* clock = nullptr;  // never null; outlives the connection
    std::uint64_t database = 0;    // whose connection it is: every open database has a number
};

enum class CheckpointMode : std::uint8_t {
    passive,   // copies what no reader holds
    truncate,  // waits for readers, and shortens the log's file to nothing
};

// How many pages a log had, and how many of those are in the database now.
struct LogCopy {
    int pages = 0;
    int copied = 0;
};

class Connection {
public:
    static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // A closure's statement, from the cache or prepared now.
    Result<Statement*> prepare(std::string_view sql);
    // One of ours.
    Result<Statement*> prepare(const StaticSql& sql);

    // Runs one of ours to its end and drops its rows.
    Result<void> execute(const StaticSql& sql);
    // Runs every statement of a migration. Transactions in it are refused.
    Result<void> run_script(std::string_view sql);
    Result<std::int64_t> read_integer(const StaticSql& sql);

    // Whether the file was moved, replaced or deleted since: what is written now, nobody will find
    // again.
    bool has_moved() const noexcept;

    // A reader's transaction, on the newest state there is. One that is open already goes on if nothing was
    // committed since it began.
    Result<void> begin_reading();
    void end_reading() noexcept;
    // What the log's head was when the reader's open transaction began. Nullopt: nobody can tell.
    std::optional<LogIndex::Head> snapshot() const noexcept;

    bool is_in_transaction() const noexcept;
    bool is_reader() const noexcept { return options_.role == ConnectionRole::reader; }
    std::int64_t changes_total() const noexcept;
    std::int64_t changes_last() const noexcept;
    std::int64_t last_row() const noexcept;  // the id of the row inserted last
    void forget_last_row() noexcept;         // it is 0 until another one is inserted

    // Statements are interrupted once the clock has passed `limit` from now.
    void arm(Duration limit);
    void disarm() noexcept { deadline_.reset(); }
    bool is_overdue() const;

    // While it lives, the deadline does not count.
    class Grace {
    public:
        explicit Grace(Connection& connection) noexcept
            : connection_(connection), deadline_(std::exchange(connection.deadline_, std::nullopt))
        {
        }
        ~Grace() { connection_.deadline_ = deadline_; }
        Grace(const Grace&) = delete;
        Grace& operator=(const Grace&) = delete;

    private:
        Connection& connection_;
        const std::optional<Duration> deadline_;
    };
    Error overdue_error() const;

    // What the last failed call says. Remembers whether the handle must be reopened.
    Error to_error(int code, std::string_view sql);
    bool needs_reopen() const noexcept { return needs_reopen_ || may_have_misread(); }
    // Whether pages that it read, and keeps, may be such as the disk lost under a copy of the log
    // (copier_vfs.hpp). Asked before anything is made of them.
    bool may_have_misread() const noexcept;
    // Whether the last error was a full disk.
    bool is_disk_full() const noexcept { return is_disk_full_; }

    // Pages in the log after the last commit.
    int wal_pages() const noexcept { return wal_pages_; }
    // At how many checkpoint() is worth its while, as large as the database is now; its file keeps as much
    // room when it starts over. The cache follows the size of the database, too.
    int plan_log();
    // Copies the log into the database file. The lane's own copy is flushed only if it leaves nothing of the
    // log, the copier's whenever it succeeds.
    Result<LogCopy> checkpoint(CheckpointMode mode);
    // Whether nothing of the log is left to be copied. False where nobody can tell.
    bool is_log_copied() noexcept;
    // After a copy that failed: a flush that fails tells nothing about pages that were written before, so the
    // next copy is of the whole log. Outside transactions. False: another program copies or writes.
    bool forget_copies() noexcept;
    // Closing it copies nothing: who opens the database next finds the whole log.
    void leave_log() noexcept;
    // Somebody else copied. Where nothing was committed since, the next commit starts the log over.
    void on_copied(const LogCopy& copy) noexcept;

    // Whether the next commits will make the log's file grow; lengthen_log() writes zeros behind its
    // end, inside a write transaction, so that they need not. A failure is not told: the file grows as
    // it would have.
    bool is_log_short() const noexcept;
    void lengthen_log();

    sqlite3* handle() const noexcept { return handle_; }
    const std::string& path() const noexcept { return options_.path; }
    std::uint64_t database() const noexcept { return options_.database; }

private:
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept
        {
            return std::hash<std::string_view>{}(text);
        }
    };

    explicit Connection(const ConnectionOptions& options);

    bool is_lane() const noexcept { return options_.role == ConnectionRole::lane; }
    bool is_copier() const noexcept { return options_.role == ConnectionRole::copier; }
    Result<void> open_handle();
    Result<void> configure();
    Result<void> run_pragma(const std::string& sql);
    Result<sqlite3_stmt*> compile(std::string_view sql);
    void evict_statement();
    bool has_newest_snapshot() const noexcept;
    std::int64_t log_used() const noexcept { return tuning::wal_bytes(wal_pages_); }

    static int on_progress(void* self);
    static int
    on_authorize(void* self, int action, const char*, const char*, const char*, const char*);
    static int on_wal(void* self, sqlite3*, const char*, int pages);

    const ConnectionOptions options_;
    sqlite3* handle_ = nullptr;
    bool is_trusted_ = true;
    const std::uint64_t copies_taken_back_;  // in this process, before it was opened
    bool needs_reopen_ = false;
    bool is_disk_full_ = false;
    int wal_pages_ = 0;
    int cache_kib_ = 0;           // as plan_log() chose it
    std::int64_t log_bytes_ = 0;  // of the log's file, as far as we know
    std::int64_t log_bytes_kept_ = 0;
    std::optional<Duration> deadline_;
    Duration limit_{};
    LogIndex log_index_;
    LogIndex::Head snapshot_{};  // what the log's head was just before the transaction began
    std::uint64_t uses_ = 0;
    std::vector<std::unique_ptr<Statement>> ours_;
    std::unordered_map<std::string, std::unique_ptr<Statement>, TextHash, std::equal_to<>> theirs_;
};

}  // namespace umavez
