#pragma once

// ReaderPool: the reader connections that nobody uses at the moment.
//
// A free connection may keep the snapshot it read last: for the next brief read it is as good as a new one
// while nobody has committed since, and beginning and ending one is a third of such a read. A snapshot
// holds back the log, so the lane ends those that are kept whenever it has committed, which made them
// worthless, and around a checkpoint.
//
// Thread-safe. In a SqliteDatabase it outlives the lane, and the readers empty it before that.

#include "database/sqlite/connection.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace umavez {

class ReaderPool {
public:
    // Places for `count` connections; none is open yet.
    explicit ReaderPool(std::size_t count) : count_(count), free_(count) {}

    std::size_t count() const noexcept { return count_; }

    // Waits for a free place; null: free, but not opened yet.
    std::unique_ptr<Connection> take();
    // Null: no place is free, or none of the free ones is open.
    std::unique_ptr<Connection> take_open();
    // Null gives back a place without a connection.
    void give_back(std::unique_ptr<Connection> connection);

    void end_snapshots();

    // Closes what is free; for good, once nobody reads any more.
    void close();

private:
    const std::size_t count_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<Connection>> free_;
    std::atomic<bool> keeps_snapshots_{false};  // changed under the mutex
};

}  // namespace umavez
