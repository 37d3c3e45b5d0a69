#pragma once

// The path of a database, checked before SQLite sees it: what is wrong with it is said in a
// sentence that names the path and the cure. Thread-safe.

#include <umavez/result.hpp>

#include <string>

namespace umavez {

// The one absolute name of the database, so that two spellings of a path share one lock. Refuses
// directories, missing directories, network filesystems, and with `must_exist` a missing file. A
// file with several names (hard links, or mounted by itself) is refused too: the lock and the log
// are found by name, so each name would have its own.
Result<std::string> resolve_database_path(const std::string& path, bool must_exist);

// Creates an empty file if there is none, readable by owner and group at most: records hold answers
// with personal data. Call it under the lock.
Result<void> create_database_file(const std::string& path);

// Locks and shared memory of SQLite's log are not reliable there.
bool is_network_filesystem(long magic) noexcept;

}  // namespace umavez
