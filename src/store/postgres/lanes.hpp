#pragma once

// Lanes: threads that write what gathered while the previous batch was committing.
//
// Claims and takeovers go one way, completions and heartbeats another, with connections of their
// own: an owner's last word never queues behind new claims. A batch has one member per key and is
// sorted by key. Who finds its way idle and would only have waited writes its own call, without a
// thread in between.
//
// Thread-safe. Destroying it writes what is queued.

#include "base/limits.hpp"
#include "database/postgres/postgres_database.hpp"
#include "store/postgres/notes.hpp"

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace umavez::pg {

// A call of the port on its way through a lane; lives in the frame of the coroutine that awaits it.
class Call {
public:
    enum class Kind : std::uint8_t { insertion, takeover, completion, heartbeat };

    explicit Call(Kind kind_of_call, std::size_t members_of_call) noexcept
        : kind(kind_of_call), members(members_of_call)
    {
    }
    virtual const RecordId& id(std::size_t member) const = 0;

    const Kind kind;
    const std::size_t members;
    const Duration asked_at = system_clock().boottime();
    Result<void> result;

protected:
    ~Call() = default;

private:
    friend class Lanes;
    std::coroutine_handle<> waiting_;
    Scheduler* scheduler_ = nullptr;
};

template <typename Member, typename Answer>
class BatchCall final : public Call {
public:
    BatchCall(Kind kind_of_call, std::vector<Member>& batch)
        : Call(kind_of_call, batch.size()), batch_(batch)
    {
        answers.resize(batch.size());
    }
    const RecordId& id(std::size_t member) const override { return batch_[member].id; }
    Member& at(std::size_t member) { return batch_[member]; }

    std::vector<Answer> answers;

private:
    std::vector<Member>& batch_;
};

using InsertCall = BatchCall<Insertion, Found>;
using ReplaceCall = BatchCall<Replacement, Replaced>;
using HeartbeatCall = BatchCall<Heartbeat, Replaced>;

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
        std::array<std::deque<Call*>, 2> queues;  // the first is served first
        bool has_notes = false;
        bool is_busy = false;  // a batch is being written, by the thread or by a caller
    };

    static bool has_calls(const Way& way);
    bool refuses(Call& call) const;
    // False: it is done, and its answer is there.
    bool submit(Call& call, std::coroutine_handle<> waiting, Scheduler& scheduler);
    void loop(Way& way);
    std::vector<Call*> take(Way& way);
    void write(std::span<Call* const> calls, Purpose purpose);
    void write_notes(Purpose purpose);
    static void answer(Call& call);

    PostgresDatabase& database_;
    Notes& notes_;
    std::mutex mutex_;
    std::array<Way, 2> ways_{{{.purpose = Purpose::claim}, {.purpose = Purpose::urgent}}};
    std::size_t queued_ = 0;
    bool is_closed_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace umavez::pg
