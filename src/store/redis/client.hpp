#pragma once

// RedisClient: the connections of a store, and the coroutine's side of a request. Thread-safe.

#include "store/redis/connection.hpp"
#include "store/redis/names.hpp"
#include "store/redis/redis_url.hpp"
#include "store/redis/sentinel.hpp"

#include <umavez/time.hpp>

#include <coroutine>
#include <memory>
#include <span>
#include <vector>

namespace umavez {

class RedisClient {
public:
    // `clock` may be null: the server's.
    RedisClient(RedisUrl url, const Clock* clock);

    // Once, before anything else. misconfigured or store_unavailable: why nothing can be kept there.
    Result<void> start();

    const RedisNames& names() const noexcept { return names_; }

    // Sends all and goes on when the last answer is there: `co_await` it by its name. The requests
    // outlive it; each has its own answer.
    class Exchange {
    public:
        Exchange(RedisClient& client, std::span<RedisRequest> requests) noexcept
            : client_(client), requests_(requests)
        {
        }
        bool await_ready() const noexcept { return requests_.empty(); }
        template <typename Promise>
        bool await_suspend(std::coroutine_handle<Promise> waiting)
        {
            if (requests_.size() == 1 && waiting.promise().scheduler->may_block() &&
                client_.connection_of(requests_[0]).try_serve(requests_[0])) {
                return false;
            }
            gathering_.begin(requests_.size(), waiting, *waiting.promise().scheduler);
            for (RedisRequest& request : requests_) request.gathering = &gathering_;
            // After the last one is submitted this object may be gone.
            RedisClient& client = client_;
            const std::span<RedisRequest> requests = requests_;
            for (RedisRequest& request : requests) client.submit(request);
            return true;
        }
        void await_resume() const noexcept {}

    private:
        RedisClient& client_;
        const std::span<RedisRequest> requests_;
        Gathering gathering_;
    };
    Exchange send(std::span<RedisRequest> requests) noexcept { return {*this, requests}; }

    void note(RedisRequest request);
    std::uint64_t notes_dropped() const noexcept;
    std::uint64_t times_emptied() const { return sentinel_.losses(); }

private:
    RedisConnection& connection_of(const RedisRequest& request) noexcept
    {
        return *connections_[request.lane % connections_.size()];
    }
    void submit(RedisRequest& request) { connection_of(request).submit(request); }

    const RedisUrl url_;
    const RedisNames names_;
    Sentinel sentinel_;
    const Clock* const clock_;
    std::vector<std::unique_ptr<RedisConnection>> connections_;  // none is added after start()
};

// The first trouble among answers, if any.
Result<void> first_trouble(std::span<const RedisRequest> requests);

}  // namespace umavez
