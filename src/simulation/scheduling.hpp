#pragma once

// Schedulers and timers of a simulated process. Every root task is a scheduler of its own, so that a store
// command can tell on whose behalf it was sent. Confined to the simulation's thread.

#include "engine/timers.hpp"
#include "simulation/world.hpp"

#include <umavez/task.hpp>

#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>

namespace umavez::simulation {

// Numbers the calls of a world; 0 stands for work that no call asked for (heartbeats).
using CallId = std::uint32_t;

// Suspended tasks go on a little later, in an order that the seed decides.
class SimScheduler : public Scheduler {
public:
    SimScheduler(World& world, Dice& dice, NodeId node, CallId call, Duration delay_max)
        : world_(world), dice_(dice), node_(node), call_(call), delay_max_(delay_max)
    {
    }

    void resume_soon(std::coroutine_handle<> handle) override
    {
        world_.post(dice_.between(Duration{0}, delay_max_), node_, [handle] { handle.resume(); });
    }
    CallId call() const noexcept { return call_; }

private:
    World& world_;
    Dice& dice_;
    const NodeId node_;
    const CallId call_;
    const Duration delay_max_;
};

// `co_await CurrentCall{}` tells which call the task belongs to.
struct CurrentCall {
    CallId call = 0;

    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle)
    {
        // Every task of a world runs under a SimScheduler.
        call = static_cast<SimScheduler*>(handle.promise().scheduler)->call();
        return false;
    }
    CallId await_resume() const noexcept { return call; }
};

// A task that nobody awaits: a call at a node, a client, a command on its way to the store.
class Root final : public SimScheduler {
public:
    using SimScheduler::SimScheduler;

    void run(Task<void> task)
    {
        task_ = std::move(task);
        task_.start(*this);
    }
    bool is_done() const noexcept { return task_.is_done(); }

    // Of a task that is done. Rethrows what it threw.
    void take() { task_.take(); }

private:
    Task<void> task_;
};

class SimTimers final : public Timers {
public:
    SimTimers(World& world, Dice& dice, NodeId node, Duration delay_max)
        : world_(world),
          dice_(dice),
          node_(node),
          delay_max_(delay_max),
          scheduler_(world, dice, node, 0, delay_max)
    {
    }

    Id schedule(Duration delay, std::function<void()> fire) override
    {
        const Id id = ++last_;
        callbacks_.emplace(id, std::move(fire));
        const Duration late = dice_.between(Duration{0}, delay_max_);
        world_.post(delay + late, node_, [this, id] { run(id); });
        return id;
    }
    void cancel(Id id) override { callbacks_.erase(id); }
    Scheduler& scheduler() noexcept override { return scheduler_; }

private:
    void run(Id id)
    {
        const auto found = callbacks_.find(id);
        if (found == callbacks_.end()) return;
        const std::function<void()> fire = std::move(found->second);
        callbacks_.erase(found);
        fire();
    }

    World& world_;
    Dice& dice_;
    const NodeId node_;
    const Duration delay_max_;
    SimScheduler scheduler_;
    Id last_ = 0;
    std::map<Id, std::function<void()>> callbacks_;
};

}  // namespace umavez::simulation
