#include "database/sqlite/file_watch.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez {

FileWatch::FileWatch(std::string path)
    : path_(std::move(path)),
      lock_path_(path_ + ".lock"),
      log_path_(path_ + "-wal"),
      file_(find_file_id(path_)),
      lock_(find_file_id(lock_path_))
{
}

Result<void> FileWatch::check() const
{
    if (path_.empty()) return {};
    const auto refuse = [](const std::string& path, std::string_view what) {
        return fail(Errc::store_unavailable, fmt::format("{} {}", shown(path), what));
    };
    const auto file = find_file_id(path_);
    if (!file) return refuse(path_, "was moved or deleted while it was open: put it back");
    if (file != file_) {
        return refuse(
            path_, "was replaced while it was open: put the first one back, or restart the server"
        );
    }
    if (const auto lock = find_file_id(lock_path_); !lock || lock != lock_) {
        return refuse(
            lock_path_,
            "was deleted or replaced, so a second server could open the database: stop this one "
            "and start it again"
        );
    }
    // Not its identity: SQLite makes a new one when the lane reopens its connection.
    if (!find_file_id(log_path_)) {
        return refuse(
            log_path_,
            "was deleted, and a crash would lose what was committed since: stop the server with "
            "SIGTERM, which saves it, and start it again"
        );
    }
    return {};
}

}  // namespace umavez
