#pragma once

// Shop: the processes of a simulated service. They start, work, crash at times and at fault points, stand
// still, and are replaced. Confined to the simulation's thread.

#include "base/fault_point.hpp"
#include "simulation/backend.hpp"
#include "simulation/scheduling.hpp"

#include <array>
#include <memory>
#include <vector>

namespace umavez::simulation {

// Thrown through synchronous code of a process that has died. No std::exception: nobody may handle it.
struct ProcessDied {};

// One process. Its engine, frames and stores are kept when it dies: the dead do not clean up.
class Node {
public:
    Node(Scene& scene, Backend& backend, const std::vector<OperationPlan>& operations, Duration skew);

    NodeId id() const noexcept { return id_; }
    Engine& engine() noexcept { return *engine_; }
    Database* database() noexcept { return store_->database(); }
    NodeClock& clock() noexcept { return clock_; }

    // Runs what is queued inside the process, soon.
    void step_soon();

private:
    Scene& scene_;
    const NodeId id_;
    NodeClock clock_;
    Dice random_;
    SimTimers timers_;
    std::unique_ptr<NodeStore> store_;
    std::unique_ptr<Engine> engine_;
    bool is_stepping_ = false;
};

class Shop final : public FaultHook {
public:
    Shop(Scene& scene, Backend& backend);
    ~Shop() override;

    const std::vector<OperationPlan>& operations() const noexcept { return operations_; }

    // Starts the first processes and plans their misfortunes.
    void open();

    // A process that answers, or null.
    Node* pick(Dice& dice);

    // The second phase: every dead process is replaced.
    void recover();

    const std::array<std::uint64_t, fault_points_count>& reached() const noexcept { return reached_; }

    void strike(FaultPoint point) override;
    bool ends(FaultPoint point, Scheduler& scheduler) override;

private:
    void start_node();
    void crash(NodeId node);
    void plan_misfortunes();
    bool is_fatal(FaultPoint point);
    Node& node_of(NodeId id);

    Scene& scene_;
    Backend& backend_;
    const std::vector<OperationPlan> operations_;
    Dice dice_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::uint32_t missing_ = 0;  // died and not replaced yet
    std::array<std::uint64_t, fault_points_count> reached_{};
};

}  // namespace umavez::simulation
