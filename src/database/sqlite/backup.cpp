// Backup: a consistent copy while writers go on.
//
// A file is copied by a reader, in one read transaction: it holds back the log for that long, and
// nobody else. In memory the lane does it. The copy appears under its name only when it is whole.

#include "database/sqlite/sqlite_database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace umavez {
namespace {

class BackupWork final : public Work {
public:
    explicit BackupWork(const std::string& path) : path_(path)
    {
        is_alone = true;
        access = Access::read_once;
        run_limit = std::chrono::hours{24};
    }

    Result<void> run(SqliteTransaction& transaction) override
    {
        sqlite3* target = nullptr;
        int code = sqlite3_open_v2(
            path_.c_str(), &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr
        );
        if (code == SQLITE_OK) {
            sqlite3* const source = transaction.connection().handle();
            sqlite3_backup* const backup = sqlite3_backup_init(target, "main", source, "main");
            if (backup != nullptr) {
                code = sqlite3_backup_step(backup, -1);
                const int finished = sqlite3_backup_finish(backup);
                if (code == SQLITE_DONE) code = finished;
            } else {
                code = sqlite3_errcode(target);
            }
        }
        const std::string message = target == nullptr ? "out of memory" : sqlite3_errmsg(target);
        sqlite3_close_v2(target);
        if (code == SQLITE_OK) return {};
        return fail(
            Errc::store_unavailable,
            fmt::format("the copy to {} failed: {} ({})", path_, message, code)
        );
    }

private:
    const std::string& path_;
};

// A copy that cannot be read is worse than none.
Result<void> verify_copy(const std::string& path)
{
    sqlite3* copy = nullptr;
    sqlite3_stmt* check = nullptr;
    std::string found = "it cannot be opened";
    if (sqlite3_open_v2(path.c_str(), &copy, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK &&
        sqlite3_prepare_v2(copy, "PRAGMA integrity_check(1)", -1, &check, nullptr) == SQLITE_OK &&
        sqlite3_step(check) == SQLITE_ROW) {
        found = reinterpret_cast<const char*>(sqlite3_column_text(check, 0));
    }
    sqlite3_finalize(check);
    sqlite3_close_v2(copy);
    if (found == "ok") return {};
    return fail(Errc::corrupt_record, fmt::format("the copy is damaged: {}", found));
}

Task<Result<void>> run_backup(SqliteDatabase& database, const std::string& path)
{
    BackupWork work{path};
    Result<void> done = co_await database.on_reader(work);
    co_return done;
}

}  // namespace

Result<void> SqliteDatabase::backup(const std::string& path)
{
    if (on_lane_thread()) return fail_on_lane_thread();
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
        return fail(
            Errc::invalid_argument, fmt::format("{} exists already: choose another name", path)
        );
    }
    const std::string partial = path + ".partial";
    std::filesystem::remove(partial, ignored);
    // As private as the database: SQLite would let everybody read it.
    const int made = ::open(partial.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0640);
    if (made >= 0) ::close(made);
    auto done = wait(run_backup(*this, partial));
    if (done) done = verify_copy(partial);
    // link() rather than rename(): it never replaces what somebody put there meanwhile.
    if (done && ::link(partial.c_str(), path.c_str()) != 0) {
        done = fail(
            Errc::store_unavailable,
            fmt::format("the copy could not be named {}: {}", path, std::strerror(errno))
        );
    }
    for (const char* const suffix : {"", "-journal", "-wal", "-shm"}) {
        std::filesystem::remove(partial + suffix, ignored);
    }
    return done;
}

}  // namespace umavez
