#pragma once

// FaultyVfs: a disk that fails when told. While it lives, every database is opened through it; its
// faults hit the write-ahead log, but for one. A gate holds flushes of the log until the test lets them go
// on.
// Thread-safe.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace umavez::test {

class FaultyVfs {
public:
    FaultyVfs();
    ~FaultyVfs();
    FaultyVfs(const FaultyVfs&) = delete;
    FaultyVfs& operator=(const FaultyVfs&) = delete;

    // Each counts down; the operation fails while it is above zero.
    std::atomic<int> sync_failures{0};  // with SQLITE_IOERR_FSYNC, after the bytes were written
    std::atomic<int> full_writes{0};    // with SQLITE_FULL
    std::atomic<int> writes_before_full{0};  // those that still succeed before that

    std::atomic<int> database_sync_failures{0};  // of the database itself

    std::atomic<int> database_syncs{0};
    std::atomic<int> database_syncs_beside{0};  // by the thread that copies logs
    std::atomic<int> database_writes{0};
    std::atomic<int> wal_opens{0};
    std::atomic<int> wal_syncs{0};
    std::atomic<int> wal_writes{0};

    void close_gate();
    void open_gate();
    void wait_until_held();  // somebody is waiting at the gate; if nobody comes it is opened

    // For the file methods.
    int on_sync();
    int on_write();
    int on_database_sync();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_gate_closed_ = false;
    int held_ = 0;
};

}  // namespace umavez::test
