#pragma once

// Lanes: threads that write what gathered while the previous batch was committing.
//
// Claims and takeovers go one way, completions and heartbeats another, with connections of their
// own: an owner's last word never queues behind new claims. A batch has no key of two calls and is
// sorted by key. Who finds its way idle and would only have waited writes its own call, without a
// thread in between.
//
// Thread-safe. Destroying it writes what is queued.

#include "database/postgres/postgres_database.hpp"
#include "store/postgres/call_queue.hpp"
#include "store/postgres/crowd.hpp"
#include "store/postgres/notes.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace umavez::pg {

class Lanes {
public:
    Lanes(PostgresDatabase& database, Notes& notes);
    ~Lanes();
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    struct Awaiter {
        Lanes& lanes;
        Call& call;

        bool await_ready() const { return lanes.refuses(call); }
        template <typename Promise>
        bool await_suspend(std::coroutine_handle<Promise> waiting) const
        {
            return lanes.submit(call, waiting, *waiting.promise().scheduler);
        }
        Result<void> await_resume() const { return std::move(call.result); }
    };
    Awaiter run(Call& call) noexcept { return {*this, call}; }

    // A note waits for a batch to ride on; in a moment it gets one of its own.
    void expect_notes();

private:
    struct Way {  // of claims, or of completions
        Purpose purpose;
        std::condition_variable changed;
        CallQueue queue;
        bool has_notes = false;
        bool is_gathering = false;  // one of its threads waits for a crowd, and will take it
        // Since when each batch under way is written, by a thread of the way or by a caller; the last is
        // the youngest.
        std::vector<std::chrono::steady_clock::time_point> writing;
    };

    bool refuses(Call& call) const;
    // False: it is done, and its answer is there.
    bool submit(Call& call, std::coroutine_handle<> waiting, Scheduler& scheduler);
    void loop(Way& way);
    // Waits for a crowd that comes back.
    void gather(Way& way, std::unique_lock<std::mutex>& lock);
    void write(std::span<Call* const> calls, Way& way, std::unique_lock<std::mutex>& lock);
    void write_notes(Purpose purpose);
    static void answer(Call& call);

    PostgresDatabase& database_;
    Notes& notes_;
    std::mutex mutex_;
    std::array<Way, 2> ways_{{{.purpose = Purpose::claim}, {.purpose = Purpose::urgent}}};
    std::size_t queued_ = 0;
    std::size_t under_way_ = 0;  // in batches that are being written
    Crowd crowd_;
    bool is_closed_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace umavez::pg
