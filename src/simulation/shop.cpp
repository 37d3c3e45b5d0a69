#include "simulation/shop.hpp"

#include <stdexcept>
#include <utility>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

// What the engine's own thread would do in production.
Task<void> work_for_ever(Scene& scene, Engine& engine, Dice dice)
{
    for (;;) {
        co_await Sleep{scene.world, dice.between(scene.swarm.worker_period / 2, scene.swarm.worker_period)};
        const auto worked = co_await engine.async_work_once();
        if (worked && worked->claimed > 0) scene.world.tell("worker claimed {}", worked->claimed);
        if (!dice.chance(400)) continue;
        const auto swept = co_await engine.async_sweep_once();
        if (swept && swept->records > 0) scene.world.tell("swept {}", swept->records);
    }
}

Duration draw_skew(Scene& scene, Dice& dice)
{
    const Duration skew = dice.between(-10min, 10min);
    return scene.strikes(FaultKind::node_clock_wrong, dice) ? skew : Duration{0};
}

}  // namespace

Node::Node(
    Scene& scene, Backend& backend, const std::vector<OperationPlan>& operations, Duration skew
)
    : scene_(scene),
      id_(scene.world.add_node()),
      clock_(scene.world, skew),
      random_(scene.world.dice().fork(20'000 + id_)),
      timers_(scene.world, scene.scheduling(), id_, 3ms),
      store_(backend.attach(id_, clock_)),
      engine_(store_->make_engine({
          .audit = scene.store != StoreKind::memory,
          .worker_period = std::nullopt,
          .sweep_batch = 50,
          .store_patience = scene.swarm.patience,
          .clock = &clock_,
          .random = &random_,
          .timers = &timers_,
      }))
{
    for (const OperationPlan& plan : operations) {
        const auto declared = engine_->declare(make_spec(scene, plan, id_));
        if (!declared) throw std::runtime_error(declared.error().detail);
    }
    const auto started = engine_->start();
    if (!started) throw std::runtime_error(started.error().detail);
    const CallId call = scene.begin_work(id_);
    scene.spawn(id_, call, work_for_ever(scene, *engine_, scene.world.dice().fork(30'000 + id_)));
}

void Node::step_soon()
{
    if (is_stepping_) return;
    is_stepping_ = true;
    scene_.world.post(scene_.scheduling().between(100us, 2ms), id_, [this] {
        is_stepping_ = false;
        try {
            if (store_->step()) step_soon();
        } catch (const ProcessDied&) {
            scene_.world.tell("node {} died inside a batch", id_);
        }
    });
}

Shop::Shop(Scene& scene, Backend& backend)
    : scene_(scene),
      backend_(backend),
      operations_(plan_operations(scene.swarm, scene.store)),
      dice_(scene.world.dice().fork(2))
{
    fault_hook.store(this);
}

Shop::~Shop()
{
    fault_hook.store(nullptr);
}

void Shop::open()
{
    for (std::uint32_t i = 0; i < scene_.swarm.nodes; ++i) start_node();
    if (scene_.store == StoreKind::sqlite) {
        scene_.world.on_event_over([this](NodeId node) {
            if (scene_.world.is_alive(node)) node_of(node).step_soon();
        });
    }
    plan_misfortunes();
}

Node* Shop::pick(Dice& dice)
{
    std::vector<Node*> alive;
    for (const auto& node : nodes_) {
        if (scene_.world.is_alive(node->id())) alive.push_back(node.get());
    }
    return alive.empty() ? nullptr : alive[dice.below(alive.size())];
}

void Shop::recover()
{
    while (missing_ > 0) {
        --missing_;
        start_node();
    }
}

void Shop::start_node()
{
    Dice dice = scene_.world.dice().fork(40'000 + nodes_.size());
    nodes_.push_back(std::make_unique<Node>(scene_, backend_, operations_, draw_skew(scene_, dice)));
    scene_.world.tell("node {} starts", nodes_.back()->id());
}

void Shop::crash(NodeId node)
{
    if (!scene_.world.is_alive(node)) return;
    scene_.world.kill(node);
    scene_.world.tell("node {} dies", node);
    ++missing_;
    const Duration down = dice_.between(20ms, scene_.swarm.lease * 2);
    scene_.world.post(down, outside, [this] {
        if (missing_ == 0) return;
        --missing_;
        start_node();
    });
}

void Shop::plan_misfortunes()
{
    const Swarm& swarm = scene_.swarm;
    World& world = scene_.world;
    Dice dice = world.dice().fork(3);
    const auto at_some_time = [&](FaultKind kind, const auto& misfortune) {
        for (std::uint32_t i = 0; i < swarm.rate(kind); ++i) {
            const Duration at = dice.between(100ms, swarm.faults_for);
            const std::uint64_t draw = dice.next();
            world.post(at, outside, [this, misfortune, draw] {
                Dice own{draw};
                if (Node* const node = pick(own)) misfortune(*node, own);
            });
        }
    };
    at_some_time(FaultKind::crash, [this](Node& node, Dice&) { crash(node.id()); });
    at_some_time(FaultKind::pause, [this](Node& node, Dice& own) {
        if (scene_.world.is_paused(node.id())) return;
        const Duration length = own.between(50ms, scene_.swarm.pause_max);
        scene_.world.tell("node {} stands still for {} us", node.id(), length.count());
        scene_.world.pause(node.id(), length);
    });
    at_some_time(FaultKind::node_clock_step, [this](Node& node, Dice& own) {
        const Duration by = own.between(-10min, 10min);
        scene_.world.tell("node {} steps its clock by {} us", node.id(), by.count());
        node.clock().step(by);
    });
    at_some_time(FaultKind::store_clock_step, [this](Node&, Dice& own) {
        const Duration by = own.between(-clock_step_max, clock_step_max);
        scene_.world.tell("the store steps its clock by {} us", by.count());
        backend_.step_clock(by);
    });
}

bool Shop::is_fatal(FaultPoint point)
{
    const std::uint64_t arrival = ++reached_[static_cast<std::size_t>(point)];
    if (!scene_.faults_on) return false;
    for (const PlannedCrash& crash : scene_.swarm.crashes) {
        if (crash.point == point && crash.arrival == arrival) return true;
    }
    return false;
}

void Shop::strike(FaultPoint point)
{
    const NodeId node = scene_.world.current_node();
    if (node == outside) return;  // a process that is being started
    if (!is_fatal(point)) return;
    crash(node);
    throw ProcessDied{};
}

bool Shop::ends(FaultPoint point, Scheduler&)
{
    const NodeId node = scene_.world.current_node();
    if (node == outside) return false;
    // Killed in this very event, at another point.
    if (!scene_.world.is_alive(node)) return true;
    if (!is_fatal(point)) return false;
    scene_.world.tell("node {} meets its end at {}", node, umavez::to_text(point));
    crash(node);
    return true;
}

Node& Shop::node_of(NodeId id)
{
    return *nodes_[id - 1];
}

}  // namespace umavez::simulation
