#pragma once

// LogIndex: which commit is the newest in the log, and how much of it is copied, as the log's index in shared
// memory tells it.
//
// The head of that index (sqlite.org/walformat.html, "The WAL-Index File Format") has a counter of commits,
// the length of the log and checksums. Whoever commits, in this process or another, changes it before the
// commit is done; so a head that did not change since a snapshot was begun means that the snapshot is the
// newest state there is. Comparing it costs no system call and no lock. Behind two copies of the head comes
// the number of pages that are copied (nBackfill), which forget_copies() writes; the format is documented,
// and the same since SQLite 3.7.
//
// Belongs to one connection, and is used no longer than it. Confined to one thread at a time.

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace umavez {

class LogIndex {
public:
    using Head = std::array<std::uint32_t, 12>;

    // Looks for the index of a connection that has read from a database with a log. Without one (a database
    // in memory, a file system without shared memory) is_known() stays false.
    void find(sqlite3* handle) noexcept;
    void find(sqlite3_file* file) noexcept;
    bool is_known() const noexcept { return words_ != nullptr; }

    // Where it is known. A head that is being written while it is read equals no other.
    Head head() const noexcept;

    // Where it is known: whether nothing of the log is left to be copied into the database.
    bool is_log_copied() const noexcept;
    // Where it is known: how many of its pages are copied. Set by who holds the lock of copies.
    std::uint32_t copied() const noexcept;
    void set_copied(std::uint32_t pages) noexcept;
    // Where it is known: the next copy is one of the whole log. Who begins to read now finds the copied pages
    // in the log again. Outside transactions. False: somebody is copying, or writing, who may start it over.
    bool forget_copies() noexcept;

    // Of SQLite's locks on the index: WAL_WRITE_LOCK, WAL_CKPT_LOCK, WAL_READ_LOCK(0).
    static constexpr int write_lock = 0;
    static constexpr int copy_lock = 1;
    static constexpr int database_lock = 3;  // of those who read nothing from the log

private:
    sqlite3_file* database_ = nullptr;
    volatile std::uint32_t* words_ = nullptr;
};

}  // namespace umavez
