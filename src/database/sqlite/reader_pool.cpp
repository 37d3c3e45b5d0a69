#include "database/sqlite/reader_pool.hpp"

#include <utility>

namespace umavez {

std::unique_ptr<Connection> ReaderPool::take()
{
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !free_.empty(); });
    std::unique_ptr<Connection> connection = std::move(free_.back());
    free_.pop_back();
    return connection;
}

std::unique_ptr<Connection> ReaderPool::take_open()
{
    const std::lock_guard guard{mutex_};
    if (free_.empty() || !free_.back()) return nullptr;
    std::unique_ptr<Connection> connection = std::move(free_.back());
    free_.pop_back();
    return connection;
}

void ReaderPool::give_back(std::unique_ptr<Connection> connection)
{
    const std::lock_guard guard{mutex_};
    if (connection && connection->is_in_transaction()) keeps_snapshots_.store(true);
    free_.push_back(std::move(connection));
    changed_.notify_one();
}

void ReaderPool::end_snapshots()
{
    if (!keeps_snapshots_.load()) return;
    const std::lock_guard guard{mutex_};
    keeps_snapshots_.store(false);
    for (std::unique_ptr<Connection>& connection : free_) {
        if (!connection) continue;
        connection->end_reading();
        if (connection->is_in_transaction()) connection.reset();
    }
}

void ReaderPool::close()
{
    const std::lock_guard guard{mutex_};
    free_.clear();
}

}  // namespace umavez
