#include "database/sqlite/reader_pool.hpp"

#include <utility>

namespace umavez {

ReaderPool::Place ReaderPool::take()
{
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !free_.empty(); });
    Place place{*this, std::move(free_.back()), era_};
    free_.pop_back();
    return place;
}

std::optional<ReaderPool::Place> ReaderPool::take_open()
{
    const std::lock_guard guard{mutex_};
    if (free_.empty() || !free_.back()) return std::nullopt;
    std::optional<Place> place{std::in_place, *this, std::move(free_.back()), era_};
    free_.pop_back();
    return place;
}

void ReaderPool::give_back(std::unique_ptr<Connection> connection, std::uint64_t era) noexcept
{
    std::unique_lock lock{mutex_};
    if (connection && (forbids_snapshots_ || era != era_)) connection->end_reading();
    const bool is_kept = connection && connection->is_in_transaction();
    const bool is_first = is_kept && !std::exchange(keeps_some_, keeps_some_ || is_kept);
    free_.push_back(std::move(connection));  // it has room for all
    changed_.notify_one();
    lock.unlock();
    if (is_first && on_kept) on_kept();
}

void ReaderPool::end_snapshots()
{
    const std::lock_guard guard{mutex_};
    end_kept();
}

void ReaderPool::forbid_snapshots(bool is_forbidden)
{
    const std::lock_guard guard{mutex_};
    forbids_snapshots_ = is_forbidden;
    end_kept();
}

void ReaderPool::end_kept()
{
    ++era_;
    keeps_some_ = false;
    for (std::unique_ptr<Connection>& connection : free_) {
        if (!connection) continue;
        connection->end_reading();
        if (connection->is_in_transaction() || connection->needs_reopen()) connection.reset();
    }
}

void ReaderPool::close()
{
    const std::lock_guard guard{mutex_};
    free_.clear();
}

}  // namespace umavez
