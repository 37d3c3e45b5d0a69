#include "database/sqlite/log_index.hpp"

#include <sqlite3.h>

namespace umavez {
namespace {

constexpr int index_region = 0;          // which begins with the head
constexpr int region_bytes = 32 * 1024;  // of every region, as SQLite maps it

}  // namespace

void LogIndex::find(sqlite3* handle) noexcept
{
    sqlite3_file* file = nullptr;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    if (file == nullptr || file->pMethods == nullptr) return;
    if (file->pMethods->iVersion < 2 || file->pMethods->xShmMap == nullptr) return;
    // The connection has it mapped since its first read; this only tells where.
    volatile void* region = nullptr;
    const int code = file->pMethods->xShmMap(file, index_region, region_bytes, 0, &region);
    if (code == SQLITE_OK) words_ = static_cast<const volatile std::uint32_t*>(region);
}

LogIndex::Head LogIndex::head() const noexcept
{
    Head head;
    for (std::size_t i = 0; i < head.size(); ++i)
        head[i] = __atomic_load_n(words_ + i, __ATOMIC_ACQUIRE);
    return head;
}

}  // namespace umavez
