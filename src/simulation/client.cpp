#include "simulation/client.hpp"

#include "simulation/mailbox.hpp"
#include "simulation/server.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t attempts_max = 14;

bool is_final(Ending ending)
{
    return ending == Ending::executed || ending == Ending::replayed || ending == Ending::mismatch;
}

// One attempt: the answer, or `running` if the client hung up first.
Task<Ending> attempt(Scene& scene, Node& node, Intent intent, Dice& dice)
{
    World& world = scene.world;
    const auto box = std::make_shared<Mailbox<Ending>>();
    const bool is_impatient = scene.strikes(FaultKind::client_impatient, dice);
    const Duration lease = scene.swarm.lease;
    const Duration patience =
        is_impatient ? dice.between(5ms, lease) : dice.between(lease * 2, lease * 6);
    const Duration there = dice.between(100us, 2ms);
    const NodeId id = node.id();
    world.post(there, id, [&scene, &node, intent, box] { serve(scene, node, intent, box); });
    world.post(patience, outside, [box] { box->put(Ending::running); });
    const Ending ending = co_await box->letter();
    co_return ending;
}

}  // namespace

std::vector<Intent> draw_intents(Scene& scene, const std::vector<OperationPlan>& plans, Dice dice)
{
    std::vector<Intent> intents;
    for (std::uint32_t i = 0; i < scene.swarm.intents; ++i) {
        const OperationPlan& plan = plans[dice.below(plans.size())];
        const std::string tenant = dice.chance(700) ? "loja-a" : "loja-b";
        const std::string key = fmt::format("k{}", dice.below(scene.swarm.keys));
        Intent intent{
            .plan = &plan,
            .id = {*TenantId::parse(tenant), *Operation::parse(plan.name), *Key::parse(key)},
        };
        intent.payload = payload_of(intent.id);
        const bool is_probe = dice.chance(scene.swarm.rate(FaultKind::other_payload));
        if (is_probe && plan.takes_probes) intent.payload += " changed";
        const bool is_leased = plan.policy.guarantee != Guarantee::atomic && !plan.is_in_rows;
        intent.keeps_lease = dice.chance(300) && is_leased;
        if (dice.chance(200)) intent.wait = dice.between(0ms, 1500ms);
        intents.push_back(std::move(intent));
    }
    return intents;
}

Task<void> run_client(Scene& scene, Shop& shop, std::vector<Intent> intents, Dice dice)
{
    co_await Sleep{scene.world, dice.between(0ms, scene.swarm.faults_for / 2)};
    for (const Intent& intent : intents) {
        std::uint32_t doubts = 0;
        for (std::uint32_t i = 0; i < attempts_max && !scene.closing && doubts < 4; ++i) {
            Node* const node = shop.pick(dice);
            Ending ending = Ending::running;
            if (node != nullptr) ending = co_await attempt(scene, *node, intent, dice);
            if (is_final(ending)) break;
            if (ending == Ending::in_doubt) ++doubts;
            co_await Sleep{scene.world, dice.between(20ms, scene.swarm.lease)};
        }
        co_await Sleep{scene.world, dice.between(0ms, 1s)};
    }
}

}  // namespace umavez::simulation
