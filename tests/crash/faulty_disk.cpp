#include "faulty_disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <vector>

// From top to bottom: the state; a file's methods; the layer; the public face.

namespace umavez::crash {
namespace {

// How to take back one write or truncation.
struct Undo {
    sqlite3_int64 offset = 0;
    std::string before;
    sqlite3_int64 size_before = 0;
};

struct State {
    std::mutex mutex;
    std::optional<FaultPlan> plan;
    std::uint64_t calls = 0;
    bool has_struck = false;
    std::map<std::string, std::vector<Undo>> unflushed;  // by path
};

State& state()
{
    static State the_state;
    return the_state;
}

// SQLite hands us memory of szOsFile bytes; the file below lies behind this.
struct LayerFile {
    sqlite3_file base;
    const char* path;  // valid until the file is closed, says SQLite; null for temporary files

    sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

LayerFile& layer(sqlite3_file* file)
{
    return *reinterpret_cast<LayerFile*>(file);
}
sqlite3_file* below(sqlite3_file* file)
{
    return layer(file).below();
}
const sqlite3_io_methods& methods_below(sqlite3_file* file)
{
    return *below(file)->pMethods;
}

bool is_log(sqlite3_file* file)
{
    return layer(file).path != nullptr && std::string_view{layer(file).path}.ends_with("-wal");
}

// With the mutex held.
bool strikes(Call call, sqlite3_file* file)
{
    State& now = state();
    if (!now.plan || now.plan->call != call) return false;
    if (now.plan->is_of_database && is_log(file)) return false;
    const std::uint64_t number = ++now.calls;
    const bool is_struck = now.plan->is_lasting ? number >= now.plan->nth : number == now.plan->nth;
    now.has_struck = now.has_struck || is_struck;
    return is_struck;
}

void remember(sqlite3_file* file, sqlite3_int64 offset, sqlite3_int64 size)
{
    if (layer(file).path == nullptr) return;
    Undo undo{.offset = offset};
    methods_below(file).xFileSize(below(file), &undo.size_before);
    const sqlite3_int64 there = std::clamp<sqlite3_int64>(undo.size_before - offset, 0, size);
    undo.before.resize(static_cast<std::size_t>(there));
    if (there > 0) {
        methods_below(file).xRead(below(file), undo.before.data(), static_cast<int>(there), offset);
    }
    state().unflushed[layer(file).path].push_back(std::move(undo));
}

// In parts: SQLite's own layer writes less than 128 KiB at once, and what was cut off may have been a whole
// log.
void write_back(sqlite3_file* file, const Undo& undo)
{
    constexpr std::size_t part_max = 64 * 1024;
    for (std::size_t at = 0; at < undo.before.size(); at += part_max) {
        const std::size_t size = std::min(part_max, undo.before.size() - at);
        methods_below(file).xWrite(
            below(file),
            undo.before.data() + at,
            static_cast<int>(size),
            undo.offset + static_cast<sqlite3_int64>(at)
        );
    }
}

void take_back(sqlite3_file* file)
{
    if (layer(file).path == nullptr) return;
    auto& undos = state().unflushed[layer(file).path];
    for (const Undo& undo : std::views::reverse(undos)) {
        write_back(file, undo);
        sqlite3_int64 size_now = 0;
        methods_below(file).xFileSize(below(file), &size_now);
        if (size_now > undo.size_before)
            methods_below(file).xTruncate(below(file), undo.size_before);
    }
    undos.clear();
}

int close_file(sqlite3_file* file)
{
    const int code = methods_below(file).xClose(below(file));
    file->pMethods = nullptr;
    return code;
}
int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset)
{
    const std::lock_guard guard{state().mutex};
    return methods_below(file).xRead(below(file), into, size, offset);
}
int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset)
{
    const std::lock_guard guard{state().mutex};
    const bool is_struck = strikes(Call::write, file);
    if (is_struck && !state().plan->is_losing) return state().plan->code;
    remember(file, offset, size);
    if (!is_struck) return methods_below(file).xWrite(below(file), from, size, offset);
    if (size > 1) methods_below(file).xWrite(below(file), from, size / 2, offset);
    return state().plan->code;
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size)
{
    const std::lock_guard guard{state().mutex};
    sqlite3_int64 size_now = 0;
    methods_below(file).xFileSize(below(file), &size_now);
    if (size_now > size) remember(file, size, size_now - size);
    return methods_below(file).xTruncate(below(file), size);
}
int flush_file(sqlite3_file* file, int)
{
    const std::lock_guard guard{state().mutex};
    if (strikes(Call::flush, file)) {
        if (state().plan->is_losing) take_back(file);
        return state().plan->code;
    }
    if (layer(file).path != nullptr) state().unflushed.erase(layer(file).path);
    return SQLITE_OK;
}
int size_of_file(sqlite3_file* file, sqlite3_int64* size)
{
    return methods_below(file).xFileSize(below(file), size);
}
int hold_file(sqlite3_file* file, int level)
{
    return methods_below(file).xLock(below(file), level);
}
int let_file(sqlite3_file* file, int level)
{
    return methods_below(file).xUnlock(below(file), level);
}
int check_held(sqlite3_file* file, int* is_held)
{
    return methods_below(file).xCheckReservedLock(below(file), is_held);
}
int control_file(sqlite3_file* file, int operation, void* argument)
{
    return methods_below(file).xFileControl(below(file), operation, argument);
}
int sector_size(sqlite3_file* file)
{
    return methods_below(file).xSectorSize(below(file));
}
int characteristics(sqlite3_file* file)
{
    return methods_below(file).xDeviceCharacteristics(below(file));
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** mapped)
{
    return methods_below(file).xShmMap(below(file), page, size, extend, mapped);
}
int hold_shared(sqlite3_file* file, int offset, int count, int flags)
{
    return methods_below(file).xShmLock(below(file), offset, count, flags);
}
void order_shared(sqlite3_file* file)
{
    methods_below(file).xShmBarrier(below(file));
}
int unmap_shared(sqlite3_file* file, int delete_flag)
{
    return methods_below(file).xShmUnmap(below(file), delete_flag);
}

// Version 2: with shared memory for the log, without mapping the file itself past us.
const sqlite3_io_methods layer_methods = {
    2,
    close_file,
    read_file,
    write_file,
    truncate_file,
    flush_file,
    size_of_file,
    hold_file,
    let_file,
    check_held,
    control_file,
    sector_size,
    characteristics,
    map_shared,
    hold_shared,
    order_shared,
    unmap_shared,
    nullptr,
    nullptr,
};

sqlite3_vfs* unix_vfs = nullptr;

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flags_out)
{
    auto* const opened = new (file) LayerFile{};
    opened->path = path;
    const int code = unix_vfs->xOpen(unix_vfs, path, opened->below(), flags, flags_out);
    // Without methods SQLite does not close what was not opened.
    opened->base.pMethods = code == SQLITE_OK ? &layer_methods : nullptr;
    return code;
}

int delete_file(sqlite3_vfs*, const char* path, int flush_directory)
{
    const std::lock_guard guard{state().mutex};
    state().unflushed.erase(path);
    return unix_vfs->xDelete(unix_vfs, path, flush_directory);
}

std::string read_whole(const std::string& path)
{
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

void FaultyDisk::install()
{
    static sqlite3_vfs faulty;
    if (unix_vfs != nullptr) return;
    unix_vfs = sqlite3_vfs_find("unix");
    if (unix_vfs == nullptr) throw std::runtime_error{"SQLite has no unix layer"};
    faulty = *unix_vfs;
    faulty.zName = "umavez-faulty";
    faulty.pNext = nullptr;
    faulty.szOsFile = static_cast<int>(sizeof(LayerFile)) + unix_vfs->szOsFile;
    faulty.xOpen = open_file;
    faulty.xDelete = delete_file;
    sqlite3_vfs_register(&faulty, 1);
}

void FaultyDisk::arm(const FaultPlan& plan)
{
    const std::lock_guard guard{state().mutex};
    state().plan = plan;
    state().calls = 0;
    state().has_struck = false;
}

void FaultyDisk::heal()
{
    const std::lock_guard guard{state().mutex};
    state().plan.reset();
}

bool FaultyDisk::has_struck()
{
    const std::lock_guard guard{state().mutex};
    return state().has_struck;
}

void FaultyDisk::cut_power(const std::string& path, const std::string& copy_path)
{
    const std::lock_guard guard{state().mutex};
    for (const char* const suffix : {"", "-wal"}) {
        std::string bytes = read_whole(path + suffix);
        const auto found = state().unflushed.find(path + suffix);
        if (found != state().unflushed.end()) {
            for (const Undo& undo : std::views::reverse(found->second)) {
                const auto offset = static_cast<std::size_t>(undo.offset);
                bytes.resize(std::max(bytes.size(), offset + undo.before.size()));
                std::ranges::copy(undo.before, bytes.begin() + undo.offset);
                bytes.resize(static_cast<std::size_t>(undo.size_before));
            }
        }
        std::ofstream{copy_path + suffix, std::ios::binary | std::ios::trunc} << bytes;
    }
}

}  // namespace umavez::crash
