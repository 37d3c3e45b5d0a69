#pragma once

// A VFS for copies of the log: it flushes the database while it is written, in portions, and lets no copy
// begin of a log that is copied already (log_copier.hpp).
//
// A checkpoint writes all its pages and flushes them at its end, and whoever flushes the log meanwhile
// stands behind them in the queue of the disk. In small portions there is never much to stand behind.
// One that leaves something of the log would not be flushed at all: here its last portion is, before anybody
// is told that its pages may be read from the database. Everything else is the default VFS.
//
// A flush in between that fails fails the write, and with it the copy. One that is not begun is SQLITE_BUSY.
// SQLite does not ask what became of the last flush: a copy that failed there is taken back at once, but for
// a moment others may have begun to read pages that the disk lost. They can tell by the counts below.

#include <cstdint>
#include <string>

namespace umavez {

// Registers it on top of the default VFS, if it is not there yet, and gives its name for sqlite3_open_v2.
// Only for connections that copy logs. Thread-safe.
std::string copier_vfs();

// Before every copy by this thread: how much it writes into the database before that is flushed.
void prepare_copy(int portion_bytes) noexcept;
// Whether the last flush of this thread's last copy failed.
bool is_copy_lost() noexcept;

// How many copies in this process failed in their last flush, and how many of those are taken back. Whatever
// was read since the second count was n is true while the first one is n. Thread-safe.
std::uint64_t copies_lost() noexcept;
std::uint64_t copies_taken_back() noexcept;

}  // namespace umavez
