#pragma once

// RedisRequest: one member of a script call, or one plain command, on its way to a connection and
// back.
//
// It lives in the frame of the coroutine that awaits it and is queued by a link inside it. From
// submit to the answer it belongs to the connection's thread; once its gathering is complete it may
// be gone. Confined to one thread at a time.

#include "store/redis/reply.hpp"
#include "store/redis/scripts.hpp"

#include <umavez/result.hpp>
#include <umavez/task.hpp>
#include <umavez/time.hpp>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <string>

namespace umavez {

// Resumes a coroutine when the last of its requests has come back.
class Gathering {
public:
    void begin(std::size_t count, std::coroutine_handle<> waiting, Scheduler& scheduler) noexcept
    {
        left_.store(count, std::memory_order_relaxed);
        waiting_ = waiting;
        scheduler_ = &scheduler;
    }

    // The last touch: the coroutine may go on at once, on another thread.
    void arrive()
    {
        if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) scheduler_->resume_soon(waiting_);
    }

private:
    std::atomic<std::size_t> left_{0};
    std::coroutine_handle<> waiting_;
    Scheduler* scheduler_ = nullptr;
};

struct RedisRequest {
    Script script = Script::plain;
    std::size_t lane = 0;  // which connection; requests of one record share one

    // As they will be sent; for a plain command `keys` is all of it.
    std::string keys;
    std::string arguments;
    // What members have in common is sent once for those in a row that share it, before the first
    // of them and with their number in front. Empty: this script has none.
    std::string plan;
    std::uint32_t keys_count = 0;
    std::uint32_t arguments_count = 0;

    void key(std::string_view name)
    {
        append_bulk(keys, name);
        ++keys_count;
    }
    void argument(std::string_view text)
    {
        append_bulk(arguments, text);
        ++arguments_count;
    }
    void argument(const std::optional<Duration>& duration)
    {
        argument(std::string_view{duration ? std::to_string(duration->count()) : std::string{}});
    }

    // The answer. A reply is there if `status` is good; `now` is the store's.
    Result<void> status;
    ReplyPtr reply;
    Instant now{};

    Gathering* gathering = nullptr;  // null: nobody waits
    RedisRequest* next = nullptr;
};

}  // namespace umavez
