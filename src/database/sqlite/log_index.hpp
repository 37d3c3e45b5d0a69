#pragma once

// LogIndex: which commit is the newest in the log, as the log's index in shared memory tells it.
//
// The head of that index (sqlite.org/walformat.html, "The WAL-Index File Format") has a counter of commits,
// the length of the log and checksums. Whoever commits, in this process or another, changes it before the
// commit is done; so a head that did not change since a snapshot was begun means that the snapshot is the
// newest state there is. Comparing it costs no system call and no lock.
//
// Belongs to one connection, and is used no longer than it. Confined to one thread at a time.

#include <array>
#include <cstddef>
#include <cstdint>

struct sqlite3;

namespace umavez {

class LogIndex {
public:
    using Head = std::array<std::uint32_t, 12>;

    // Looks for the index of a connection that has read from a database with a log. Without one (a database
    // in memory, a file system without shared memory) is_known() stays false.
    void find(sqlite3* handle) noexcept;
    bool is_known() const noexcept { return words_ != nullptr; }

    // Where it is known. A head that is being written while it is read equals no other.
    Head head() const noexcept;

private:
    const volatile std::uint32_t* words_ = nullptr;
};

}  // namespace umavez
