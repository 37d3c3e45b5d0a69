#include "database/sqlite/copier_vfs.hpp"

#include "database/sqlite/log_index.hpp"
#include "database/sqlite/vfs_over_default.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <type_traits>

namespace umavez {
namespace {

// The methods of a database file below, but for four.
struct CopierMethods {
    sqlite3_io_methods methods;  // first: a file points to it
    const sqlite3_io_methods* real = nullptr;
};
static_assert(std::is_standard_layout_v<CopierMethods>);

const sqlite3_io_methods& real_of(sqlite3_file* file) noexcept
{
    return *reinterpret_cast<const CopierMethods*>(file->pMethods)->real;
}

// A thread copies for one connection, from its first copy to its last.
struct Copy {
    int portion_bytes = 0;
    int unflushed_bytes = 0;
    std::uint32_t copied_before = 0;  // pages of the log, by others
    bool is_lost = false;
};
thread_local Copy copy;

std::atomic<std::uint64_t> lost{0};
std::atomic<std::uint64_t> taken_back{0};

int flush(sqlite3_file* file, int flags)
{
    const int code = real_of(file).xSync(file, flags);
    if (code == SQLITE_OK) copy.unflushed_bytes = 0;
    return code;
}

int write_steadily(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset)
{
    const int code = real_of(file).xWrite(file, bytes, size, offset);
    if (code != SQLITE_OK) return code;
    copy.unflushed_bytes += size;
    if (copy.unflushed_bytes < copy.portion_bytes) return SQLITE_OK;
    return flush(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

// SQLite calls it when the pages are written, just before the index says that they are copied.
int flush_rest(sqlite3_file* file, int operation, void* argument)
{
    const bool is_written = operation == SQLITE_FCNTL_CKPT_DONE && copy.unflushed_bytes > 0;
    if (is_written && flush(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) != SQLITE_OK) {
        copy.is_lost = true;
        ++lost;
        // Whoever sees what SQLite writes into the index now sees this too.
        real_of(file).xShmBarrier(file);
    }
    return real_of(file).xFileControl(file, operation, argument);
}

int lock(sqlite3_file* file, int which, int count, int flags)
{
    return real_of(file).xShmLock(file, which, count, flags);
}

// Who holds the lock of copies is alone with them: what is not copied now, nobody copies meanwhile, and the
// log does not start over.
int begin_unless_copied(sqlite3_file* file)
{
    constexpr int flags = SQLITE_SHM_EXCLUSIVE;
    const int code = lock(file, LogIndex::copy_lock, 1, SQLITE_SHM_LOCK | flags);
    if (code != SQLITE_OK) return code;
    LogIndex index;
    index.find(file);
    if (index.is_known() && !index.is_log_copied()) {
        copy.copied_before = index.copied();
        return code;
    }
    lock(file, LogIndex::copy_lock, 1, SQLITE_SHM_UNLOCK | flags);
    return SQLITE_BUSY;
}

void take_back(sqlite3_file* file)
{
    LogIndex index;
    index.find(file);
    if (index.is_known()) index.set_copied(copy.copied_before);
    ++taken_back;
}

// SQLite locks the index to begin a copy, and unlocks the readers of the database alone to end it.
int lock_for_copy(sqlite3_file* file, int which, int count, int flags)
{
    const bool begins = which == LogIndex::copy_lock && count == 1 &&
                        flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
    if (begins) return begin_unless_copied(file);
    const bool ends =
        which == LogIndex::database_lock && flags == (SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
    if (ends && copy.is_lost) take_back(file);
    return lock(file, which, count, flags);
}

// One for each kind of file below. SQLite keeps pointers into them.
const sqlite3_io_methods* methods_over(const sqlite3_io_methods* real) noexcept
{
    static std::mutex mutex;
    static std::list<CopierMethods> all;
    const std::lock_guard guard{mutex};
    for (const CopierMethods& known : all) {
        if (known.real == real) return &known.methods;
    }
    CopierMethods& added = all.emplace_back(CopierMethods{*real, real});
    added.methods.xWrite = write_steadily;
    added.methods.xSync = flush;
    added.methods.xFileControl = flush_rest;
    added.methods.xShmLock = lock_for_copy;
    return &added.methods;
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags)
{
    auto* const real = static_cast<sqlite3_vfs*>(vfs->pAppData);
    const int code = real->xOpen(real, name, file, flags, out_flags);
    if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) != 0)
        file->pMethods = methods_over(file->pMethods);
    return code;
}

}  // namespace

void prepare_copy(int portion_bytes) noexcept
{
    copy = {.portion_bytes = portion_bytes};
}

bool is_copy_lost() noexcept
{
    return copy.is_lost;
}

std::uint64_t copies_lost() noexcept
{
    return lost;
}

std::uint64_t copies_taken_back() noexcept
{
    return taken_back;
}

std::string copier_vfs()
{
    return vfs_over_default("umavez-copier-", 0, open_file);
}

}  // namespace umavez
