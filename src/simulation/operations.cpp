#include "simulation/operations.hpp"

#include "simulation/handler.hpp"

#include <utility>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

OperationPlan leased_plan(OperationKind kind, std::string name, const Swarm& swarm)
{
    OperationPlan plan{.kind = kind, .name = std::move(name)};
    plan.policy = {
        .guarantee = Guarantee::leased,
        .key = KeyRule::required,
        .lease = swarm.lease,
        .run_limit = swarm.lease * 6,
        .takeovers_max = 2,
        .settle = swarm.settle,
        .retention = swarm.retention,
        .on_mismatch = swarm.originals ? OnMismatch::original : OnMismatch::reject,
        .on_duplicate = swarm.waits ? OnDuplicate::wait : OnDuplicate::conflict,
        .duplicate_wait = 700ms,
    };
    return plan;
}

OperationPlan reconciled_plan(const Swarm& swarm, StoreKind store)
{
    OperationPlan plan = leased_plan(OperationKind::reconciled, "pay.reconciled", swarm);
    // The effect key is the same in every lifetime, so an enquiry in a second one would hear of the first.
    plan.policy.retention.reset();
    plan.has_reconciler = true;
    plan.obeys_lost = true;
    plan.one_effect = swarm.is_bounded(store);
    return plan;
}

OperationPlan tokens_plan(const Swarm& swarm)
{
    OperationPlan plan = leased_plan(OperationKind::tokens, "pay.tokens", swarm);
    plan.policy.retention.reset();
    plan.authority = AuthorityKind::checks_tokens;
    plan.has_reconciler = true;
    return plan;
}

OperationPlan rerun_plan(const Swarm& swarm)
{
    OperationPlan plan = leased_plan(OperationKind::rerun, "pay.rerun", swarm);
    plan.policy.on_abandoned = OnAbandoned::rerun;
    plan.policy.effect = RepeatedEffect::deduplicated;
    plan.authority = AuthorityKind::dedupes;
    plan.has_reconciler = true;
    plan.has_worker = true;
    plan.takes_probes = false;
    return plan;
}

OperationPlan cached_plan(const Swarm& swarm)
{
    OperationPlan plan = leased_plan(OperationKind::cached, "pay.cached", swarm);
    plan.policy.guarantee = Guarantee::cached;
    plan.policy.retention = swarm.retention.value_or(9s);
    plan.one_effect = false;
    return plan;
}

OperationPlan atomic_plan(OperationKind kind, std::string name, const Swarm& swarm)
{
    OperationPlan plan{.kind = kind, .name = std::move(name)};
    plan.policy = {
        .guarantee = Guarantee::atomic,
        .key = KeyRule::required,
        .retention = std::nullopt,
        .on_mismatch = swarm.originals ? OnMismatch::original : OnMismatch::reject,
        .duplicate_wait = 700ms,
    };
    plan.is_in_rows = true;
    return plan;
}

Task<std::optional<std::string>> load_payload(Scene& scene, RecordId id)
{
    co_await Sleep{scene.world, 1ms};
    co_return payload_of(id);
}

}  // namespace

std::string payload_of(const RecordId& id)
{
    return "order " + id.tenant_id.text() + " " + id.key.text();
}

std::vector<OperationPlan> plan_operations(const Swarm& swarm, StoreKind store)
{
    std::vector<OperationPlan> plans;
    plans.push_back(reconciled_plan(swarm, store));
    plans.push_back(tokens_plan(swarm));
    plans.push_back(leased_plan(OperationKind::held, "pay.held", swarm));
    plans.push_back(rerun_plan(swarm));
    if (store == StoreKind::memory) {
        plans.push_back(cached_plan(swarm));
    } else {
        plans.push_back(atomic_plan(OperationKind::atomic, "order.atomic", swarm));
        plans.push_back(atomic_plan(OperationKind::atomic_short, "order.short", swarm));
        plans.back().policy.retention = swarm.retention.value_or(9s);
        plans.push_back(leased_plan(OperationKind::row, "order.row", swarm));
        plans.back().is_in_rows = true;
    }
    const bool steps = is_shared(store) && swarm.rate(FaultKind::store_clock_step) > 0;
    for (OperationPlan& plan : plans) plan.clock_back_max = steps ? clock_step_max * 2 : 0s;
    return plans;
}

OperationSpec make_spec(Scene& scene, const OperationPlan& plan, NodeId node)
{
    OperationSpec spec{.name = plan.name, .policy = plan.policy};
    if (plan.has_reconciler) {
        spec.reconcile = [&scene, &plan, node](Enquiry enquiry) {
            return ask_authority(scene, plan, node, std::move(enquiry));
        };
    }
    if (plan.has_worker) {
        spec.load = [&scene](RecordId id) { return load_payload(scene, std::move(id)); };
        spec.work = [&scene, &plan, node](Lease& lease, std::string payload) {
            return perform_effect(scene, plan, node, 0, std::move(payload), lease);
        };
    }
    return spec;
}

}  // namespace umavez::simulation
