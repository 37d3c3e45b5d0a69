#pragma once

// ReaderPool: the reader connections that nobody uses at the moment.
//
// A free connection may keep the snapshot it read last: for the next brief read it is as good as a new one
// while nobody has committed since, and beginning and ending one is a third of such a read. A snapshot
// holds back the log, so the lane ends those that are kept whenever it has committed, which made them
// worthless, around a checkpoint, and a while after the first was kept where nobody commits. Whoever is
// reading then keeps nothing either when it comes back.
//
// Thread-safe. In a SqliteDatabase it outlives the lane, and the readers empty it before that.

#include "database/sqlite/connection.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace umavez {

class ReaderPool {
public:
    // A place of the pool, and perhaps its connection, until the end of its life. Confined to one thread.
    class Place {
    public:
        Place(ReaderPool& pool, std::unique_ptr<Connection> open, std::uint64_t era) noexcept
            : connection(std::move(open)), pool_(&pool), era_(era)
        {
        }
        ~Place()
        {
            if (pool_ != nullptr) pool_->give_back(std::move(connection), era_);
        }
        Place(Place&& other) noexcept
            : connection(std::move(other.connection)),
              pool_(std::exchange(other.pool_, nullptr)),
              era_(other.era_)
        {
        }
        Place& operator=(Place&&) = delete;

        std::unique_ptr<Connection> connection;  // null: none is open yet, or it was not worth keeping

    private:
        ReaderPool* pool_;
        std::uint64_t era_;  // in which it was taken
    };

    // While it lives, no snapshot is kept: a checkpoint that waits for readers waits for those who read.
    class NoSnapshots {
    public:
        explicit NoSnapshots(ReaderPool* pool) : pool_(pool)
        {
            if (pool_ != nullptr) pool_->forbid_snapshots(true);
        }
        ~NoSnapshots()
        {
            if (pool_ != nullptr) pool_->forbid_snapshots(false);
        }
        NoSnapshots(const NoSnapshots&) = delete;
        NoSnapshots& operator=(const NoSnapshots&) = delete;

    private:
        ReaderPool* pool_;
    };

    // Places for `count` connections; none is open yet.
    explicit ReaderPool(std::size_t count) : count_(count), free_(count) {}

    std::size_t count() const noexcept { return count_; }

    // Called when the first snapshot is kept since the last were ended. Set before anybody reads.
    std::function<void()> on_kept;

    // Waits for a free place.
    Place take();
    // With an open connection. Nullopt: none is free.
    std::optional<Place> take_open();

    void end_snapshots();

    // Closes what is free; for good, once nobody reads any more.
    void close();

private:
    void give_back(std::unique_ptr<Connection> connection, std::uint64_t era) noexcept;
    void forbid_snapshots(bool is_forbidden);
    void end_kept();

    const std::size_t count_;
    std::mutex mutex_;  // guards everything below
    std::condition_variable changed_;
    std::vector<std::unique_ptr<Connection>> free_;
    std::uint64_t era_ = 0;  // snapshots of an earlier one are not kept
    bool keeps_some_ = false;
    bool forbids_snapshots_ = false;
};

}  // namespace umavez
