#include "database/sqlite/log_index.hpp"

namespace umavez {
namespace {

constexpr int index_region = 0;          // which begins with the head
constexpr int region_bytes = 32 * 1024;  // of every region, as SQLite maps it

// Words of it.
constexpr std::size_t pages_word = 4;
constexpr std::size_t copied_word = 24;

}  // namespace

void LogIndex::find(sqlite3* handle) noexcept
{
    sqlite3_file* file = nullptr;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    if (file != nullptr) find(file);
}

void LogIndex::find(sqlite3_file* file) noexcept
{
    if (file->pMethods == nullptr) return;
    if (file->pMethods->iVersion < 2 || file->pMethods->xShmMap == nullptr) return;
    // The connection has it mapped since its first read; this only tells where.
    volatile void* region = nullptr;
    const int code = file->pMethods->xShmMap(file, index_region, region_bytes, 0, &region);
    if (code != SQLITE_OK) return;
    database_ = file;
    words_ = static_cast<volatile std::uint32_t*>(region);
}

LogIndex::Head LogIndex::head() const noexcept
{
    Head head;
    for (std::size_t i = 0; i < head.size(); ++i)
        head[i] = __atomic_load_n(words_ + i, __ATOMIC_ACQUIRE);
    return head;
}

// The length is read last: it may have grown since, and then something is left.
bool LogIndex::is_log_copied() const noexcept
{
    const std::uint32_t pages_copied = copied();
    return pages_copied >= __atomic_load_n(words_ + pages_word, __ATOMIC_ACQUIRE);
}

std::uint32_t LogIndex::copied() const noexcept
{
    return __atomic_load_n(words_ + copied_word, __ATOMIC_ACQUIRE);
}

void LogIndex::set_copied(std::uint32_t pages) noexcept
{
    __atomic_store_n(words_ + copied_word, pages, __ATOMIC_RELEASE);
}

bool LogIndex::forget_copies() noexcept
{
    const auto call = database_->pMethods->xShmLock;
    const auto lock = [&](int which) {
        return call(database_, which, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK;
    };
    const auto unlock = [&](int which) {
        call(database_, which, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
    };
    if (!lock(copy_lock)) return false;
    const bool is_ours = lock(write_lock);
    if (is_ours) {
        set_copied(0);
        unlock(write_lock);
    }
    unlock(copy_lock);
    return is_ours;
}

}  // namespace umavez
