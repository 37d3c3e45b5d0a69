#pragma once

// Pool: the connections of a process, by what they are for.
//
// Every purpose has its own number, so that completions and heartbeats always find a connection
// while closures fill theirs. Connections are made by one thread of the pool: who asks waits a
// bounded time, even where packets vanish. A connection that breaks takes the idle ones with it:
// they go to the same server. One whose answer was only late goes alone, but the others have to prove
// themselves. A commit without an answer keeps its connection from being replaced until the answer comes.
//
// Thread-safe.

#include "base/random.hpp"
#include "database/postgres/hosts.hpp"

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace umavez::pg {

enum class Purpose : std::uint8_t { closure, read, claim, urgent };
inline constexpr std::size_t purposes = 4;

struct PoolOptions {
    ConnectOptions connect;
    std::array<std::size_t, purposes> sizes{};
};

class Pool {
public:
    explicit Pool(PoolOptions options);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // A connection for as long as it lives. A lost one is not given back.
    class Loan {
    public:
        Loan(Pool& pool, Purpose purpose, std::unique_ptr<Connection> connection) noexcept
            : pool_(&pool), purpose_(purpose), connection_(std::move(connection))
        {
        }
        Loan(Loan&& other) noexcept = default;
        Loan& operator=(Loan&&) = delete;
        ~Loan()
        {
            if (connection_) pool_->give_back(purpose_, std::move(connection_));
        }
        Connection& operator*() const noexcept { return *connection_; }
        Connection* operator->() const noexcept { return connection_.get(); }

    private:
        Pool* pool_;
        Purpose purpose_;
        std::unique_ptr<Connection> connection_;
    };

    // `asked_at` (boottime): since when the caller waits, `until`: no longer than that.
    // store_unavailable: none was to be had in time.
    Result<Loan> acquire(
        Purpose purpose, Duration asked_at, std::optional<Duration> until = std::nullopt
    );

    // The first connection, on this thread, with the reason if there is none.
    Result<void> open_first();

    bool is_away() const;

private:
    struct Kept {
        std::unique_ptr<Connection> connection;
        Duration until;
    };
    struct Lot {
        std::size_t most = 0;
        std::size_t alive = 0;    // lent, idle or being made
        std::size_t waiting = 0;  // callers
        std::condition_variable changed;
        std::vector<std::unique_ptr<Connection>> idle;
        std::vector<Kept> kept;  // alive too, so that no others take their place
    };
    Lot& lot(Purpose purpose) noexcept { return lots_[static_cast<std::size_t>(purpose)]; }
    std::unique_ptr<Connection> take_idle(Lot& lot);
    std::unique_ptr<Connection> take_proven(Lot& lot, std::unique_lock<std::mutex>& lock);
    void drop_idle(std::vector<std::unique_ptr<Connection>>& dropped);
    void give_back(Purpose purpose, std::unique_ptr<Connection> connection);
    std::optional<Purpose> wanted() const;  // of a connection that somebody waits for
    ConnectOptions options_for(Purpose purpose) const;
    bool has_kept() const;
    void close_answered(std::unique_lock<std::mutex>& lock);
    void loop();
    void wake_all();
    void wait_out_backoff(std::unique_lock<std::mutex>& lock);

    const PoolOptions options_;
    Hosts hosts_;
    mutable std::mutex mutex_;
    std::condition_variable asked_;  // for the thread
    std::array<Lot, purposes> lots_;
    std::optional<Error> away_;  // why the last try failed
    bool is_doubted_ = false;    // a connection broke, and no other was made since
    int failures_ = 0;
    bool is_closed_ = false;
    std::thread thread_;
};

}  // namespace umavez::pg
