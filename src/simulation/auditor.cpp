#include "simulation/auditor.hpp"

#include "core/decide.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

const OperationPlan& plan_of(const std::vector<OperationPlan>& plans, const RecordId& id)
{
    return *std::ranges::find(plans, id.operation.text(), &OperationPlan::name);
}

// What a worker needs to notice and to act, once nothing goes wrong any more.
Duration slack(const Scene& scene)
{
    return scene.swarm.worker_period * 6 + scene.swarm.lease + 3s;
}

void audit_left(
    const Scene& scene,
    const NamedRecord& named,
    const OperationPlan& plan,
    Instant now,
    Violations& violations
)
{
    const Record& record = named.record;
    const bool has_worker = plan.policy.guarantee == Guarantee::leased;
    if (record.status == Status::processing && has_worker) {
        const Duration patience = plan.policy.settle + slack(scene);
        if (is_lease_over(record, now - patience)) {
            violations.push_back(fmt::format("I10 abandoned and left alone: {}", name_of(named.id)));
        } else if (now - record.updated_at > plan.policy.run_limit * 2) {
            violations.push_back(fmt::format("I10 processing for ever: {}", name_of(named.id)));
        }
    }
    if (record.status == Status::in_doubt && plan.has_reconciler) {
        if (!record.retry_at || *record.retry_at < now - slack(scene)) {
            violations.push_back(fmt::format("I10 in doubt and never asked: {}", name_of(named.id)));
        }
    }
}

}  // namespace

void audit_end(
    const Scene& scene,
    const Backend::Left& left,
    const std::vector<OperationPlan>& plans,
    Violations& violations
)
{
    for (const NamedRecord& named : left.records) {
        audit_left(scene, named, plan_of(plans, named.id), left.now, violations);
    }
    for (const auto& [id, key] : scene.evidence.keys) {
        for (const CallId number : key.calls) {
            const Call& call = scene.evidence.calls[number];
            const bool is_old = call.began < scene.world.now() - scene.swarm.lease * 16;
            if (call.ended || !is_old || !scene.world.is_alive(call.node)) continue;
            violations.push_back(
                fmt::format("I10 call {} was never answered: {}", number, name_of(id))
            );
        }
    }
}

Violations audit(
    const Scene& scene, const Backend::Left& left, const std::vector<OperationPlan>& plans
)
{
    Violations violations = scene.evidence.faults;
    for (const auto& [id, key] : scene.evidence.keys) {
        const OperationPlan& plan = plan_of(plans, id);
        const Lifetimes lifetimes = audit_changes(id, key, plan, violations);
        audit_effects(id, key, scene.evidence, lifetimes, plan, violations);
    }
    audit_end(scene, left, plans, violations);
    return violations;
}

}  // namespace umavez::simulation
