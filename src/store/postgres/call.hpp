#pragma once

// Call: a call of the port on its way through a lane.
//
// Lives in the frame of the coroutine that awaits it; whoever answers it touches it last.

#include "store/store.hpp"

#include <umavez/task.hpp>
#include <umavez/time.hpp>

#include <coroutine>
#include <vector>

namespace umavez::pg {

class Call {
public:
    enum class Kind : std::uint8_t { insertion, takeover, completion, heartbeat };

    Call(
        Kind kind_of_call,
        std::size_t members_of_call,
        Duration asked = system_clock().boottime()
    ) noexcept
        : kind(kind_of_call), members(members_of_call), asked_at(asked)
    {
    }
    virtual const RecordId& id(std::size_t member) const = 0;

    const Kind kind;
    const std::size_t members;
    const Duration asked_at;
    Result<void> result;

protected:
    ~Call() = default;

private:
    friend class Lanes;  // which alone resumes it
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

}  // namespace umavez::pg
