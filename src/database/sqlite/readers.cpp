#include "database/sqlite/readers.hpp"

#include "database/sqlite/batch_runner.hpp"

#include <pthread.h>

namespace umavez {

Readers::Readers(ConnectionOptions options, std::size_t count, const StoreClock& clock)
    : options_(std::move(options)), count_(count), clock_(clock), free_(count)
{
}

Readers::~Readers()
{
    {
        const std::lock_guard guard{queue_mutex_};
        is_closed_ = true;
        queue_changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
}

void Readers::run(Work& work)
{
    std::unique_ptr<Connection> connection = take();
    if (!connection) {
        auto opened = Connection::open(options_);
        if (!opened) {
            give_back(nullptr);
            work.result = std::unexpected(std::move(opened.error()));
            return;
        }
        connection = std::move(*opened);
    }
    read_with(std::move(connection), work);
}

bool Readers::run_at_once(Work& work)
{
    std::unique_ptr<Connection> connection;
    {
        const std::lock_guard guard{pool_mutex_};
        if (free_.empty() || !free_.back()) return false;
        connection = std::move(free_.back());
        free_.pop_back();
    }
    read_with(std::move(connection), work);
    return true;
}

void Readers::read_with(std::unique_ptr<Connection> connection, Work& work)
{
    run_reading(*connection, work, clock_);
    if (connection->needs_reopen() || connection->is_in_transaction()) connection.reset();
    give_back(std::move(connection));
}

void Readers::submit(Work& work)
{
    const std::lock_guard guard{queue_mutex_};
    // First: where no thread can be had, nothing is queued that would outlive its coroutine.
    if (idle_threads_ == 0 && threads_.size() < count_) {
        threads_.emplace_back([this] { loop(); });
        pthread_setname_np(threads_.back().native_handle(), "umavez-reader");
    }
    queue_.push_back(work);
    queue_changed_.notify_one();
}

void Readers::loop()
{
    std::unique_lock lock{queue_mutex_};
    while (true) {
        while (queue_.is_empty() && !is_closed_) {
            ++idle_threads_;
            queue_changed_.wait(lock);
            --idle_threads_;
        }
        if (queue_.is_empty()) return;
        Work& work = queue_.pop_front();
        lock.unlock();
        run(work);
        work.answer();
        lock.lock();
    }
}

std::unique_ptr<Connection> Readers::take()
{
    std::unique_lock lock{pool_mutex_};
    pool_changed_.wait(lock, [this] { return !free_.empty(); });
    std::unique_ptr<Connection> connection = std::move(free_.back());
    free_.pop_back();
    return connection;
}

void Readers::give_back(std::unique_ptr<Connection> connection)
{
    const std::lock_guard guard{pool_mutex_};
    free_.push_back(std::move(connection));
    pool_changed_.notify_one();
}

}  // namespace umavez
