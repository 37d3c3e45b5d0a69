#pragma once

// A VFS on top of the default one, which differs from it in how files are opened.

#include <sqlite3.h>

#include <string>

namespace umavez {

using OpenFile = decltype(sqlite3_vfs::xOpen);

// Registers it, if it is not there yet, and gives its name for sqlite3_open_v2: the prefix and the name of
// the VFS below, which `open` finds in pAppData. Its files have `bytes_before` more than those below.
// Thread-safe.
std::string vfs_over_default(const char* prefix, int bytes_before, OpenFile open);

}  // namespace umavez
