// Backup: a consistent copy while writers go on.
//
// A file is copied by a reader, in one read transaction: it holds back the log for that long, and
// nobody else. In memory the lane does it. The copy appears under its name only when it is whole.
// It is made in steps, and whoever wants to stop is heard between two of them.

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

constexpr int pages_per_step = 256;  // 1 MiB

std::unexpected<Error> fail_stopped()
{
    return fail(Errc::store_unavailable, "the copy was given up: the server stops");
}

class BackupWork final : public Work {
public:
    BackupWork(const std::string& path, const std::stop_token& stop) : path_(path), stop_(stop)
    {
        is_alone = true;
        access = Access::read;
        run_limit = std::chrono::hours{24};
    }

    Result<void> run(SqliteTransaction& transaction) override
    {
        // The first look fixes what the copy shows: writers between two steps do not start it anew.
        if (auto fixed = transaction.query("SELECT count(*) FROM sqlite_schema", {}); !fixed) {
            return std::unexpected(std::move(fixed.error()));
        }
        sqlite3* target = nullptr;
        int code = sqlite3_open_v2(
            path_.c_str(), &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr
        );
        if (code == SQLITE_OK) {
            sqlite3* const source = transaction.connection().handle();
            sqlite3_backup* const backup = sqlite3_backup_init(target, "main", source, "main");
            if (backup != nullptr) {
                do {
                    code = sqlite3_backup_step(backup, pages_per_step);
                } while (code == SQLITE_OK && !stop_.stop_requested());
                const int finished = sqlite3_backup_finish(backup);
                if (code == SQLITE_DONE) code = finished;
            } else {
                code = sqlite3_errcode(target);
            }
        }
        const std::string message = target == nullptr ? "out of memory" : sqlite3_errmsg(target);
        sqlite3_close_v2(target);
        if (stop_.stop_requested()) return fail_stopped();
        if (code == SQLITE_OK) return {};
        return fail(
            Errc::store_unavailable,
            fmt::format("the copy to {} failed: {} ({})", path_, message, code)
        );
    }

private:
    const std::string& path_;
    const std::stop_token& stop_;
};

int is_stopped(void* stop)
{
    return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

// A copy that cannot be read is worse than none.
Result<void> verify_copy(const std::string& path, std::stop_token stop)
{
    constexpr int steps_between_looks = 10'000;
    sqlite3* copy = nullptr;
    sqlite3_stmt* check = nullptr;
    std::string found = "it cannot be opened";
    const int opened = sqlite3_open_v2(path.c_str(), &copy, SQLITE_OPEN_READWRITE, nullptr);
    if (opened == SQLITE_OK) {
        sqlite3_progress_handler(copy, steps_between_looks, is_stopped, &stop);
    }
    if (opened == SQLITE_OK &&
        sqlite3_prepare_v2(copy, "PRAGMA integrity_check(1)", -1, &check, nullptr) == SQLITE_OK &&
        sqlite3_step(check) == SQLITE_ROW) {
        found = reinterpret_cast<const char*>(sqlite3_column_text(check, 0));
    }
    sqlite3_finalize(check);
    sqlite3_close_v2(copy);
    if (stop.stop_requested()) return fail_stopped();
    if (found == "ok") return {};
    return fail(Errc::corrupt_record, fmt::format("the copy is damaged: {}", found));
}

// As private as the database: SQLite would let everybody read it. Ours alone: what somebody left
// under this name may still be written to.
Result<void> create_partial(const std::string& partial)
{
    const int made = ::open(partial.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0640);
    if (made >= 0) {
        ::close(made);
        return {};
    }
    if (errno == EEXIST) {
        return fail(
            Errc::invalid_argument,
            fmt::format(
                "{} exists: another copy is being made, or one was cut off; remove it if none runs",
                partial
            )
        );
    }
    return fail(
        Errc::store_unavailable,
        fmt::format("the copy {} cannot be made: {}", partial, std::strerror(errno))
    );
}

Task<Result<void>> run_backup(
    SqliteDatabase& database, const std::string& path, const std::stop_token& stop
)
{
    BackupWork work{path, stop};
    Result<void> done = co_await database.on_reader(work);
    co_return done;
}

}  // namespace

Result<void> SqliteDatabase::backup(const std::string& path, std::stop_token stop)
{
    if (on_lane_thread()) return fail_on_lane_thread();
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
        return fail(
            Errc::invalid_argument, fmt::format("{} exists already: choose another name", path)
        );
    }
    const std::string partial = path + ".partial";
    if (auto made = create_partial(partial); !made) return made;
    auto done = wait(run_backup(*this, partial, stop));
    if (done) done = verify_copy(partial, stop);
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
