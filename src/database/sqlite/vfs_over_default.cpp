#include "database/sqlite/vfs_over_default.hpp"

#include "base/assert.hpp"

#include <list>
#include <mutex>

namespace umavez {
namespace {

struct Registered {
    std::string name;
    sqlite3_vfs vfs;
};

}  // namespace

std::string vfs_over_default(const char* prefix, int bytes_before, OpenFile open)
{
    static std::mutex mutex;
    static std::list<Registered> all;  // SQLite keeps pointers into it
    const std::lock_guard lock{mutex};
    sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
    UMAVEZ_ASSERT(real != nullptr);
    std::string name = std::string{prefix} + real->zName;
    if (sqlite3_vfs_find(name.c_str()) != nullptr) return name;
    Registered& added = all.emplace_back(Registered{name, *real});
    added.vfs.zName = added.name.c_str();
    added.vfs.pAppData = real;
    added.vfs.szOsFile = real->szOsFile + bytes_before;
    added.vfs.pNext = nullptr;
    added.vfs.xOpen = open;
    sqlite3_vfs_register(&added.vfs, 0);
    return name;
}

}  // namespace umavez
