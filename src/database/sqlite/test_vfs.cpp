#include "database/sqlite/test_vfs.hpp"

#include "support/wait.hpp"

#include <sqlite3.h>

#include <array>
#include <chrono>
#include <cstring>
#include <pthread.h>
#include <string_view>

namespace umavez::test {
namespace {

FaultyVfs* current = nullptr;
sqlite3_vfs* root = nullptr;
sqlite3_vfs shim;

struct File {
    sqlite3_file base;
    bool is_wal;
    bool is_database;
    sqlite3_file* real() noexcept { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* as_file(sqlite3_file* file) noexcept
{
    return reinterpret_cast<File*>(file);
}

sqlite3_file* real_of(sqlite3_file* file) noexcept
{
    return as_file(file)->real();
}

const sqlite3_io_methods* methods_of(sqlite3_file* file) noexcept
{
    return real_of(file)->pMethods;
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset)
{
    if (as_file(file)->is_wal) {
        if (const int code = current->on_write(); code != SQLITE_OK) return code;
    }
    if (as_file(file)->is_database) ++current->database_writes;
    return methods_of(file)->xWrite(real_of(file), bytes, size, offset);
}

int sync_file(sqlite3_file* file, int flags)
{
    const int code = methods_of(file)->xSync(real_of(file), flags);
    if (code != SQLITE_OK) return code;
    if (as_file(file)->is_wal) return current->on_sync();
    return as_file(file)->is_database ? current->on_database_sync() : code;
}

const sqlite3_io_methods methods = {
    2,
    [](sqlite3_file* f) { return methods_of(f)->xClose(real_of(f)); },
    [](sqlite3_file* f, void* b, int n, sqlite3_int64 o) {
        return methods_of(f)->xRead(real_of(f), b, n, o);
    },
    write_file,
    [](sqlite3_file* f, sqlite3_int64 n) { return methods_of(f)->xTruncate(real_of(f), n); },
    sync_file,
    [](sqlite3_file* f, sqlite3_int64* n) { return methods_of(f)->xFileSize(real_of(f), n); },
    [](sqlite3_file* f, int level) { return methods_of(f)->xLock(real_of(f), level); },
    [](sqlite3_file* f, int level) { return methods_of(f)->xUnlock(real_of(f), level); },
    [](sqlite3_file* f, int* out) { return methods_of(f)->xCheckReservedLock(real_of(f), out); },
    [](sqlite3_file* f, int op, void* arg) {
        return methods_of(f)->xFileControl(real_of(f), op, arg);
    },
    [](sqlite3_file* f) { return methods_of(f)->xSectorSize(real_of(f)); },
    [](sqlite3_file* f) { return methods_of(f)->xDeviceCharacteristics(real_of(f)); },
    [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
        return methods_of(f)->xShmMap(real_of(f), page, size, extend, out);
    },
    [](sqlite3_file* f, int offset, int n, int flags) {
        return methods_of(f)->xShmLock(real_of(f), offset, n, flags);
    },
    [](sqlite3_file* f) { methods_of(f)->xShmBarrier(real_of(f)); },
    [](sqlite3_file* f, int remove) { return methods_of(f)->xShmUnmap(real_of(f), remove); },
    nullptr,
    nullptr,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags)
{
    File* const opened = as_file(file);
    opened->base.pMethods = nullptr;
    opened->is_wal = (flags & SQLITE_OPEN_WAL) != 0;
    opened->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    std::memset(opened->real(), 0, static_cast<std::size_t>(root->szOsFile));
    const int code = root->xOpen(root, name, opened->real(), flags, out_flags);
    if (opened->real()->pMethods != nullptr) opened->base.pMethods = &methods;
    if (code == SQLITE_OK && opened->is_wal) ++current->wal_opens;
    return code;
}

// By the name that log_copier.cpp gives it.
bool is_copier_thread()
{
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    return std::string_view{name.data()} == "umavez-copier";
}

// Counts down; true while there is something left.
bool takes(std::atomic<int>& left)
{
    int now = left.load();
    while (now > 0 && !left.compare_exchange_weak(now, now - 1)) continue;
    return now > 0;
}

}  // namespace

FaultyVfs::FaultyVfs()
{
    current = this;
    root = sqlite3_vfs_find(nullptr);
    shim = *root;
    shim.zName = "umavez-faulty";
    shim.pNext = nullptr;
    shim.szOsFile = static_cast<int>(sizeof(File)) + root->szOsFile;
    shim.xOpen = open_file;
    sqlite3_vfs_register(&shim, 1);
}

FaultyVfs::~FaultyVfs()
{
    sqlite3_vfs_unregister(&shim);
    sqlite3_vfs_register(root, 1);
    current = nullptr;
}

void FaultyVfs::close_gate()
{
    const std::lock_guard guard{mutex_};
    is_gate_closed_ = true;
}

void FaultyVfs::open_gate()
{
    const std::lock_guard guard{mutex_};
    is_gate_closed_ = false;
    changed_.notify_all();
}

void FaultyVfs::wait_until_held()
{
    std::unique_lock lock{mutex_};
    try {
        wait_until("somebody is held at the gate", changed_, lock, [this] { return held_ > 0; });
    } catch (const WaitNotMet&) {
        is_gate_closed_ = false;  // whoever comes yet is waited for when the case ends
        throw;
    }
}

int FaultyVfs::on_sync()
{
    ++wal_syncs;
    std::unique_lock lock{mutex_};
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_gate_closed_; });
    --held_;
    return takes(sync_failures) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

int FaultyVfs::on_database_sync()
{
    ++database_syncs;
    if (is_copier_thread()) ++database_syncs_beside;
    return takes(database_sync_failures) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

int FaultyVfs::on_write()
{
    ++wal_writes;
    if (full_writes.load() == 0 || takes(writes_before_full)) return SQLITE_OK;
    return takes(full_writes) ? SQLITE_FULL : SQLITE_OK;
}

}  // namespace umavez::test
