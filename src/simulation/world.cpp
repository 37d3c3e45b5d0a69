#include "simulation/world.hpp"

#include <algorithm>
#include <utility>

namespace umavez::simulation {

World::World(std::uint64_t seed, bool keeps_trace) : dice_(seed), trace_(keeps_trace), nodes_(1) {}

NodeId World::add_node()
{
    nodes_.emplace_back();
    return static_cast<NodeId>(nodes_.size() - 1);
}

void World::post(Duration delay, NodeId node, Action action)
{
    if (!nodes_[node].is_alive) return;
    push({now_ + std::max(delay, Duration{0}), ++posted_, node, std::move(action)});
}

void World::run_as(NodeId node, const Action& action)
{
    const NodeId before = std::exchange(current_, node);
    action();
    current_ = before;
}

void World::run_until(Duration end)
{
    while (!events_.empty() && events_.front().at <= end) {
        std::ranges::pop_heap(events_, std::less{});
        Event event = std::move(events_.back());
        events_.pop_back();
        now_ = std::max(now_, event.at);
        run(std::move(event));
    }
    now_ = std::max(now_, end);
}

void World::run(Event event)
{
    const Gate& gate = nodes_[event.node];
    if (!gate.is_alive) return;
    if (gate.paused_until > now_) {
        // The number stays: what was due first also runs first when the pause is over.
        event.at = gate.paused_until;
        push(std::move(event));
        return;
    }
    ++run_;
    run_as(event.node, event.action);
    if (event_over_ && event.node != outside) event_over_(event.node);
}

void World::push(Event event)
{
    events_.push_back(std::move(event));
    std::ranges::push_heap(events_, std::less{});
}

}  // namespace umavez::simulation
