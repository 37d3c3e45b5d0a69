#include "database/sqlite/log_vfs.hpp"

#include "database/sqlite/vfs_over_default.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace umavez {
namespace {

constexpr std::size_t write_max = 64 * 1024;  // SQLite's own VFS takes less than 128 KiB at once

// Bytes that belong at `offset`. No exception may leave a method that SQLite calls, so nothing grows: a
// commit seldom has more, and a longer one is written in parts.
struct Gathered {
    std::array<char, 512 * 1024> bytes;
    std::size_t size = 0;
    sqlite3_int64 offset = 0;

    sqlite3_int64 end() const noexcept { return offset + static_cast<sqlite3_int64>(size); }
};

// What SQLite sees of a log; the default VFS's own file lies behind it in the same allocation.
struct LogFile {
    sqlite3_file base;
    Gathered* gathered;
};
constexpr std::size_t real_at = (sizeof(LogFile) + alignof(std::max_align_t) - 1) /
                                alignof(std::max_align_t) * alignof(std::max_align_t);

Gathered& gathered_of(sqlite3_file* file) noexcept
{
    return *reinterpret_cast<LogFile*>(file)->gathered;
}

sqlite3_file* real_of(sqlite3_file* file) noexcept
{
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + real_at);
}

const sqlite3_io_methods& real_methods(sqlite3_file* file) noexcept
{
    return *real_of(file)->pMethods;
}

int write_through(sqlite3_file* file, const char* bytes, std::size_t size, sqlite3_int64 offset)
{
    int code = SQLITE_OK;
    while (size > 0 && code == SQLITE_OK) {
        const std::size_t count = std::min(size, write_max);
        code = real_methods(file).xWrite(real_of(file), bytes, static_cast<int>(count), offset);
        bytes += count;
        size -= count;
        offset += static_cast<sqlite3_int64>(count);
    }
    return code;
}

// What could not be written is forgotten: SQLite gives the commit up and writes anew.
int write_out(sqlite3_file* file)
{
    Gathered& gathered = gathered_of(file);
    const std::size_t size = std::exchange(gathered.size, 0);
    return write_through(file, gathered.bytes.data(), size, gathered.offset);
}

int close_log(sqlite3_file* file)
{
    const int written = write_out(file);
    delete reinterpret_cast<LogFile*>(file)->gathered;
    const int closed = real_methods(file).xClose(real_of(file));
    return written != SQLITE_OK ? written : closed;
}

int read_log(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset)
{
    if (const int code = write_out(file); code != SQLITE_OK) return code;
    return real_methods(file).xRead(real_of(file), bytes, size, offset);
}

int write_log(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset)
{
    Gathered& gathered = gathered_of(file);
    const auto size = static_cast<std::size_t>(count);
    if (gathered.end() != offset || gathered.size + size > gathered.bytes.size()) {
        if (const int code = write_out(file); code != SQLITE_OK) return code;
        gathered.offset = offset;
    }
    if (size > gathered.bytes.size()) {
        return write_through(file, static_cast<const char*>(bytes), size, offset);
    }
    std::memcpy(gathered.bytes.data() + gathered.size, bytes, size);
    gathered.size += size;
    return SQLITE_OK;
}

int truncate_log(sqlite3_file* file, sqlite3_int64 size)
{
    if (const int code = write_out(file); code != SQLITE_OK) return code;
    return real_methods(file).xTruncate(real_of(file), size);
}

int sync_log(sqlite3_file* file, int flags)
{
    if (const int code = write_out(file); code != SQLITE_OK) return code;
    return real_methods(file).xSync(real_of(file), flags);
}

int size_of_log(sqlite3_file* file, sqlite3_int64* size)
{
    if (const int code = write_out(file); code != SQLITE_OK) return code;
    return real_methods(file).xFileSize(real_of(file), size);
}

// A log is never locked, mapped or shared: version 1 is enough.
const sqlite3_io_methods log_methods = {
    1,
    close_log,
    read_log,
    write_log,
    truncate_log,
    sync_log,
    size_of_log,
    [](sqlite3_file* f, int level) { return real_methods(f).xLock(real_of(f), level); },
    [](sqlite3_file* f, int level) { return real_methods(f).xUnlock(real_of(f), level); },
    [](sqlite3_file* f, int* out) { return real_methods(f).xCheckReservedLock(real_of(f), out); },
    [](sqlite3_file* f, int op, void* a) {
        return real_methods(f).xFileControl(real_of(f), op, a);
    },
    [](sqlite3_file* f) { return real_methods(f).xSectorSize(real_of(f)); },
    [](sqlite3_file* f) { return real_methods(f).xDeviceCharacteristics(real_of(f)); },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags)
{
    sqlite3_vfs* const real = static_cast<sqlite3_vfs*>(vfs->pAppData);
    if ((flags & SQLITE_OPEN_WAL) == 0) return real->xOpen(real, name, file, flags, out_flags);
    file->pMethods = nullptr;
    auto* const gathered = new (std::nothrow) Gathered;
    if (gathered == nullptr) return SQLITE_NOMEM;
    const int code = real->xOpen(real, name, real_of(file), flags, out_flags);
    if (code != SQLITE_OK) {
        delete gathered;
        return code;
    }
    new (file) LogFile{.base = {&log_methods}, .gathered = gathered};
    return SQLITE_OK;
}

}  // namespace

void forget_gathered(sqlite3* handle) noexcept
{
    sqlite3_file* log = nullptr;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
    if (log != nullptr && log->pMethods == &log_methods) gathered_of(log).size = 0;
}

std::string gathering_vfs()
{
    return vfs_over_default("umavez-", static_cast<int>(real_at), open_file);
}

}  // namespace umavez
