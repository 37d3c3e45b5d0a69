#pragma once

// World: virtual time, one queue of events, and the processes ("nodes") that live in it.
//
// Everything that happens is an event of a node or of the outside (node 0). Events run in the order of
// their time, then of their posting. Events of a dead node are dropped; those of a paused one wait for the
// end of the pause and keep their order. Confined to the simulation's thread.

#include "simulation/dice.hpp"
#include "simulation/trace.hpp"

#include <umavez/time.hpp>

#include <coroutine>
#include <cstdint>
#include <functional>
#include <vector>

namespace umavez::simulation {

using NodeId = std::uint32_t;
inline constexpr NodeId outside = 0;

class World {
public:
    using Action = std::function<void()>;

    World(std::uint64_t seed, bool keeps_trace);

    Duration now() const noexcept { return now_; }
    NodeId current_node() const noexcept { return current_; }
    const Dice& dice() const noexcept { return dice_; }
    Trace& trace() noexcept { return trace_; }

    template <typename... Arguments>
    void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        trace_.line(now_, format, std::forward<Arguments>(arguments)...);
    }

    NodeId add_node();
    bool is_alive(NodeId node) const { return nodes_[node].is_alive; }
    bool is_paused(NodeId node) const { return nodes_[node].paused_until > now_; }
    void kill(NodeId node) { nodes_[node].is_alive = false; }
    void pause(NodeId node, Duration length) { nodes_[node].paused_until = now_ + length; }

    void post(Duration delay, NodeId node, Action action);

    // Runs `action` now as a part of `node`.
    void run_as(NodeId node, const Action& action);

    // Runs what is due up to `end`; afterwards it is `end`.
    void run_until(Duration end);

    // Called after each event of a node, which may have queued work somewhere.
    void on_event_over(std::function<void(NodeId)> callback) { event_over_ = std::move(callback); }

    // Drops every event: nothing goes on after this.
    void clear() { events_.clear(); }
    std::uint64_t events_count() const noexcept { return run_; }

private:
    struct Event {
        Duration at;
        std::uint64_t number;
        NodeId node;
        Action action;
        friend bool operator<(const Event& a, const Event& b) noexcept
        {
            return a.at != b.at ? a.at > b.at : a.number > b.number;  // the earliest on top of the heap
        }
    };
    struct Gate {
        bool is_alive = true;
        Duration paused_until{0};
    };

    void push(Event event);
    void run(Event event);

    Duration now_{0};
    NodeId current_ = outside;
    std::uint64_t posted_ = 0;
    std::uint64_t run_ = 0;
    Dice dice_;
    Trace trace_;
    std::function<void(NodeId)> event_over_;
    std::vector<Event> events_;  // a heap
    std::vector<Gate> nodes_;
};

// `co_await Sleep{world, 5ms};` goes on in the node it was called in, if that still lives.
struct Sleep {
    World& world;
    Duration delay;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const
    {
        world.post(delay, world.current_node(), [handle] { handle.resume(); });
    }
    void await_resume() const noexcept {}
};

}  // namespace umavez::simulation
