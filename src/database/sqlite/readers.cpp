#include "database/sqlite/readers.hpp"

#include "database/sqlite/batch_runner.hpp"

#include <pthread.h>

namespace umavez {

Readers::Readers(ConnectionOptions options, ReaderPool& pool, const StoreClock& clock)
    : options_(std::move(options)),
      file_id_(find_file_id(options_.path)),
      pool_(pool),
      clock_(clock)
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
    ReaderPool::Place place = pool_.take();
    if (!place.connection) {
        auto opened = open();
        if (!opened) {
            work.result = std::unexpected(std::move(opened.error()));
            return;
        }
        place.connection = std::move(*opened);
    }
    read_at(place, work);
}

// Another file may stand in the place of ours for a while: what is in there, nobody committed.
Result<std::unique_ptr<Connection>> Readers::open() const
{
    const auto is_ours = [this] { return find_file_id(options_.path) == file_id_; };
    if (is_ours()) {
        auto opened = Connection::open(options_);
        if (!opened || is_ours()) return opened;
    }
    return fail(
        Errc::store_unavailable,
        options_.path + " is another file than the one that was opened: put that one back, or restart"
    );
}

bool Readers::run_at_once(Work& work)
{
    std::optional<ReaderPool::Place> place = pool_.take_open();
    if (!place) return false;
    read_at(*place, work);
    return true;
}

void Readers::read_at(ReaderPool::Place& place, Work& work)
{
    Connection& connection = *place.connection;
    const bool keeps_snapshot = run_reading(connection, work, clock_);
    const bool is_stuck = connection.is_in_transaction() && !keeps_snapshot;
    if (connection.needs_reopen() || is_stuck) place.connection.reset();
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
