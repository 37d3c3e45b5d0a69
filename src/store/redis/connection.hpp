#pragma once

// RedisConnection: a thread and a wire; it sends whatever is queued in one write and reads all
// answers.
//
// Requests of the same script share a call, so a call costs the server one lookup of the script,
// one reading of the clock and one look at the sentinel for all of its members. While answers are
// read the next batch gathers; where the last one had company, the next waits for it, for up to
// half a round trip. A lone request never waits, and a caller that may block and finds the wire
// idle takes its batch of one there and back itself.
//
// A request whose command was handed to the kernel whole, and whose answer was not read or says
// nothing about the write, is store_unknown; the others that fail are store_unavailable. Without a
// connection a batch tries for one, for up to connect_timeout; if that fails, requests fail at once
// until the next try, a second later at most. Notes ride along; nobody waits for them. submit(),
// note() and try_serve() are thread-safe.

#include "store/redis/request.hpp"
#include "store/redis/wire.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace umavez {

class RedisConnection {
public:
    // `now` gives the clock of a test as text, or "" for the server's. All outlive the connection.
    RedisConnection(
        const RedisUrl& url,
        const RedisNames& names,
        Sentinel& sentinel,
        std::function<std::string()> now
    );
    ~RedisConnection();
    RedisConnection(const RedisConnection&) = delete;
    RedisConnection& operator=(const RedisConnection&) = delete;

    // Connects, and starts the thread. Once, before anything else.
    // Gives how many connections the server is best served by.
    Result<std::size_t> start();

    void submit(RedisRequest& request);
    // Takes the request there and back on this thread; its gathering is not told. False: the wire
    // is busy.
    bool try_serve(RedisRequest& request);
    // False: too many are waiting, and it was dropped.
    bool note(RedisRequest request);
    std::uint64_t notes_dropped() const noexcept
    {
        return notes_dropped_.load(std::memory_order_relaxed);
    }

private:
    using Requests = std::vector<RedisRequest*>;
    // Requests that share a call: `count` of `batch_`, from `first` on.
    struct Call {
        Script script;
        std::size_t first;
        std::size_t count;
        bool by_text = false;  // the server has lost the script
        std::size_t end = 0;   // where it ends in what is sent
    };

    void run();
    bool wait_for_work();  // false: it is over
    void gather(std::unique_lock<std::mutex>& lock);
    void take_notes();
    void take_queued();
    void take_work() noexcept;
    void keep_open() noexcept;
    void serve_batch() noexcept;
    void exchange_batch();
    void abandon_batch() noexcept;
    bool ensure_open();
    bool ensure_sentinel();
    void reconnect_later(const std::string& why);

    std::vector<Call> cut_into_calls() const;
    // Gives the calls that must be made once more.
    std::vector<Call> exchange(std::vector<Call> calls);
    void encode(Call& call);
    // How many members in a row share the plan of this one; 0: it has none, or the one before has it.
    std::uint32_t sharing_from(const Call& call, std::size_t member) const;
    // True: the call must be made once more.
    bool receive(const Call& call, ReplyPtr reply);
    void fail_call(const Call& call, Errc code, const std::string& detail);
    void fail_all(Errc code, const std::string& detail);
    void answer(std::size_t member);

    const RedisUrl& url_;
    const RedisNames& names_;
    Sentinel& sentinel_;
    const std::function<std::string()> now_;

    // One batch is under way at a time, on the connection's thread or on a caller's.
    std::mutex wire_mutex_;  // guards what follows
    Wire wire_;
    Requests batch_;  // null: answered
    std::vector<RedisRequest> riding_;  // notes in the batch
    std::string out_;
    std::string sentinel_sent_;
    bool is_spent_ = false;
    std::chrono::milliseconds pause_{0};
    std::string trouble_;

    // Written under wire_mutex_, and looked at by the thread that waits.
    std::atomic<bool> is_open_{false};
    std::atomic<Deadline> retry_at_{Deadline{}};

    std::atomic<std::size_t> company_{0};  // requests of the last batch
    std::atomic<std::chrono::nanoseconds> round_trip_{std::chrono::nanoseconds{0}};

    std::mutex mutex_;  // guards what follows; taken inside wire_mutex_
    std::condition_variable changed_;
    RedisRequest* first_ = nullptr;
    RedisRequest* last_ = nullptr;
    std::size_t queued_ = 0;
    std::size_t wanted_ = 1;  // as many end the wait of the connection's thread
    std::vector<RedisRequest> notes_;
    bool is_waiting_ = false;
    bool is_stopping_ = false;

    std::atomic<std::uint64_t> notes_dropped_{0};
    std::thread thread_;
};

}  // namespace umavez
