#pragma once

// A VFS that gathers the writes of the write-ahead log.
//
// SQLite writes a log frame by frame, in two calls each: a commit of 40 pages makes 80 system calls.
// Here they are held back in memory until SQLite flushes the log, which it does before a commit counts
// and before anybody else may read its frames; so a connection with `synchronous = FULL` loses nothing
// that it had without. Everything else is the default VFS.
//
// A write that fails is told by the call that needed it, at the latest by the flush; then the last bytes of
// the commit are not in the file, and it did not happen.

#include <string>

struct sqlite3;

namespace umavez {

// Registers it on top of the default VFS, if it is not there yet, and gives its name for sqlite3_open_v2.
// Only for connections that flush at every commit. Thread-safe.
std::string gathering_vfs();

// After a rollback: frames that a large transaction put into the log before its end are not to be written any
// more, as somebody else may have committed in their place. Nothing for connections with another VFS.
void forget_gathered(sqlite3* handle) noexcept;

}  // namespace umavez
