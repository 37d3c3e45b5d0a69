#pragma once

// Fault points: the named places where a process may die, for the simulator and the crash tests.
//
// Without a hook a point costs one relaxed load. With one, synchronous code calls `strike` (the crash test
// kills the process there, the simulator throws out of Database::step), and a coroutine that reaches
// `co_await FaultPointReached{…}` is asked whether its process is dead: then it never goes on.
// Thread-safe; the hook is set before threads start.

#include <umavez/task.hpp>

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace umavez {

enum class FaultPoint : std::uint8_t {
    lane_before_commit,    // everything of the batch is done, nothing is durable
    lane_after_commit,     // durable, nobody knows yet
    claim_before_write,    // before a claim is sent to the store
    claim_after_write,     // the claim is acknowledged, the handler has not started
    handler_before_effect, // used by test handlers around their outside effect
    handler_after_effect,
    complete_before_write, // the effect happened, the completion was not sent
    complete_after_write,  // the completion is acknowledged, the caller has no answer
    doubt_before_write,
    hold_before_write,     // a bystander met abandoned work
    reconcile_before_ask,
    reconcile_after_answer,
    run_after_reconcile,   // mode went back to run, the handler has not started
    save_before_write,
    save_after_write,
    heartbeat_before_write,
    heartbeat_after_write,
    sweep_before_write,
    atomic_after_claim,    // inside the transaction, before the handler
    atomic_after_handler,  // inside the transaction, before the record is completed
    count_,
};

inline constexpr std::size_t fault_points_count = static_cast<std::size_t>(FaultPoint::count_);

std::string_view to_text(FaultPoint point) noexcept;

class FaultHook {
public:
    virtual ~FaultHook() = default;

    // Synchronous code is at `point`. May throw or end the process.
    virtual void strike(FaultPoint point) = 0;

    // A coroutine of `scheduler` is at `point`. True: its process is dead and the coroutine must not go on.
    virtual bool ends(FaultPoint point, Scheduler& scheduler) = 0;
};

inline std::atomic<FaultHook*> fault_hook{nullptr};

inline void strike(FaultPoint point)
{
    if (FaultHook* const hook = fault_hook.load(std::memory_order_relaxed)) hook->strike(point);
}

struct FaultPointReached {
    FaultPoint point;

    bool await_ready() const noexcept
    {
        return fault_hook.load(std::memory_order_relaxed) == nullptr;
    }
    template <typename Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) const
    {
        return fault_hook.load()->ends(point, *handle.promise().scheduler);
    }
    void await_resume() const noexcept {}
};

}  // namespace umavez
