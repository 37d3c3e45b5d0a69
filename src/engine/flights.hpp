#pragma once

// Flights: who in this process is at which key, and who waits for it.
//
// One execution per key and process (single flight) for the atomic mode, and wake-ups for callers that wait
// for somebody else's execution. Waiters hold no lane and no thread of a store; they are bounded by
// limits::waiters_per_key_max and limits::waiters_max. Thread-safe.

#include "engine/timers.hpp"

#include <umavez/names.hpp>

#include <array>
#include <atomic>
#include <coroutine>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace umavez {

class Flights {
public:
    explicit Flights(Timers& timers) : timers_(timers) {}

    // A place in the queue for a key. Join first, look at the store second, then wait: a wake-up in
    // between is not lost.
    class Ticket {
    public:
        // `stop` wakes it too.
        Ticket(Flights& flights, RecordId id, const std::stop_token& stop);
        ~Ticket();
        Ticket(const Ticket&) = delete;
        Ticket& operator=(const Ticket&) = delete;

        // False: too many wait already.
        bool is_valid() const noexcept { return waiter_ != nullptr; }

        // `co_await ticket.woken_within(1s)`: until the key's execution in this process ended, or the
        // time is over. Afterwards the ticket can be waited on again.
        struct Waiter;
        struct Awaiter {
            Flights& flights;
            std::shared_ptr<Waiter> waiter;
            Duration timeout;
            Timers::Id timer = 0;

            bool await_ready() const noexcept { return timeout <= Duration{0}; }
            template <typename Promise>
            bool await_suspend(std::coroutine_handle<Promise> handle)
            {
                return suspend(handle, *handle.promise().scheduler);
            }
            void await_resume();

        private:
            bool suspend(std::coroutine_handle<> handle, Scheduler& scheduler);
        };
        Awaiter woken_within(Duration timeout) { return Awaiter{flights_, waiter_, timeout}; }

    private:
        struct Wake {
            std::shared_ptr<Waiter> waiter;
            void operator()() const;
        };

        Flights& flights_;
        const RecordId id_;
        std::shared_ptr<Waiter> waiter_;
        std::optional<std::stop_callback<Wake>> on_stop_;
    };

    // True: nobody in this process is at the key, and now we are. leave() wakes the waiters.
    bool try_enter(const RecordId& id);
    void leave(const RecordId& id);

    // An execution that did not enter (a lease) has ended.
    void notify(const RecordId& id);

private:
    struct Entry {
        bool running = false;
        std::vector<std::shared_ptr<Ticket::Waiter>> waiters;
    };
    struct alignas(64) Shard {
        std::mutex mutex;
        std::map<RecordId, Entry> entries;  // guarded by mutex
    };

    Shard& shard_of(const RecordId& id);
    static void wake(const Entry& entry);

    Timers& timers_;
    std::array<Shard, 32> shards_;
    std::atomic<std::size_t> waiting_{0};
};

}  // namespace umavez
