#pragma once

// FileWatch: whether the files of an open database still are the ones that were opened.
//
// A deleted lock file lets a second process in, a deleted log takes commits that a crash will lose,
// and a database file that was deleted or replaced shows only when somebody writes. So the
// readiness of a server asks here: three calls of stat(2). Immutable after construction.

#include "database/sqlite/file_id.hpp"

#include <umavez/result.hpp>

#include <optional>
#include <string>

namespace umavez {

class FileWatch {
public:
    // Call it while the database is open. `path` is absolute; empty: in memory, nothing is watched.
    explicit FileWatch(std::string path);

    // store_unavailable, with the file and the cure. A file that is back where it was is fine
    // again; a copy in its place is another file.
    Result<void> check() const;

private:
    const std::string path_;
    const std::string lock_path_;
    const std::string log_path_;
    const std::optional<FileId> file_;
    const std::optional<FileId> lock_;
};

}  // namespace umavez
