#pragma once

// Readers: read-only connections that see committed state and never wait for the lane.
//
// A caller that may block reads on its own thread with a connection of the pool, and so does one with a
// brief work: waking another thread costs more than a few rows. The others hop to one of a few threads,
// started when the first of them comes. Brief works share a snapshot while it is the newest state
// (reader_pool.hpp). Thread-safe.

#include "base/store_clock.hpp"
#include "database/lane_thread.hpp"
#include "database/sqlite/file_id.hpp"
#include "database/sqlite/reader_pool.hpp"
#include "database/sqlite/work.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace umavez {

class Readers {
public:
    // As many connections as the pool has places; pool and clock outlive the readers.
    Readers(ConnectionOptions options, ReaderPool& pool, const StoreClock& clock);
    ~Readers();
    Readers(const Readers&) = delete;
    Readers& operator=(const Readers&) = delete;

    std::size_t count() const noexcept { return pool_.count(); }

    // On this thread.
    void run(Work& work);

    // The same where a connection is free and open; false: nothing was done.
    bool run_at_once(Work& work);

    // On one of ours; answers through the scheduler.
    void submit(Work& work);

private:
    void read_at(ReaderPool::Place& place, Work& work);
    void loop();

    Result<std::unique_ptr<Connection>> open() const;

    const ConnectionOptions options_;
    const std::optional<FileId> file_id_;  // of the database, for as long as it is open
    ReaderPool& pool_;
    const StoreClock& clock_;

    std::mutex queue_mutex_;
    std::condition_variable queue_changed_;
    WorkList queue_;
    std::size_t idle_threads_ = 0;
    bool is_closed_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace umavez
