#include "database/sqlite/readers.hpp"

#include "database/sqlite/batch_runner.hpp"

#include <pthread.h>

namespace umavez {

Readers::Readers(ConnectionOptions options, ReaderPool& pool, const StoreClock& clock)
    : options_(std::move(options)), pool_(pool), clock_(clock)
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
    pool_.close();
}

void Readers::run(Work& work)
{
    std::unique_ptr<Connection> connection = pool_.take();
    if (!connection) {
        auto opened = Connection::open(options_);
        if (!opened) {
            pool_.give_back(nullptr);
            work.result = std::unexpected(std::move(opened.error()));
            return;
        }
        connection = std::move(*opened);
    }
    read_with(std::move(connection), work);
}

bool Readers::run_at_once(Work& work)
{
    std::unique_ptr<Connection> connection = pool_.take_open();
    if (!connection) return false;
    read_with(std::move(connection), work);
    return true;
}

void Readers::read_with(std::unique_ptr<Connection> connection, Work& work)
{
    run_reading(*connection, work, clock_);
    const bool has_failed = work.exception || !work.result;
    if (connection->needs_reopen() || (has_failed && connection->is_in_transaction()))
        connection.reset();
    pool_.give_back(std::move(connection));
}

void Readers::submit(Work& work)
{
    const std::lock_guard guard{queue_mutex_};
    // First: where no thread can be had, nothing is queued that would outlive its coroutine.
    if (idle_threads_ == 0 && threads_.size() < count()) {
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

}  // namespace umavez
