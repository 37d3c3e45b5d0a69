#include "simulation/server.hpp"

#include "core/transition.hpp"
#include "simulation/handler.hpp"

#include <utility>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

struct Answered {
    Ending ending = Ending::failed;
    Response response;
    bool omitted = false;
};

Request request_of(const Intent& intent)
{
    return {
        .tenant_id = intent.id.tenant_id,
        .operation = intent.id.operation,
        .key = intent.id.key,
        .target = make_target({"POST", intent.plan->name}),
        .fingerprint = fingerprint_bytes("text/plain", intent.payload),
        .wait = intent.wait,
    };
}

Answered to_answered(const Error& error)
{
    return {.ending = error.code == Errc::store_unknown ? Ending::unknown : Ending::failed};
}

Answered to_answered(const Outcome& outcome)
{
    if (const auto* const executed = std::get_if<Executed>(&outcome)) {
        return {executed->kept ? Ending::executed : Ending::not_kept, executed->response};
    }
    if (const auto* const replayed = std::get_if<Replayed>(&outcome)) {
        return {Ending::replayed, replayed->response, replayed->omitted};
    }
    if (std::holds_alternative<InProgress>(outcome)) return {Ending::in_progress};
    if (std::holds_alternative<Mismatch>(outcome)) return {Ending::mismatch};
    if (std::holds_alternative<InDoubt>(outcome)) return {Ending::in_doubt};
    if (const auto* const unavailable = std::get_if<Unavailable>(&outcome)) {
        const bool is_unknown = unavailable->effect == Effect::unknown;
        return {is_unknown ? Ending::unknown : Ending::unavailable};
    }
    return {Ending::failed};
}

Answered to_answered(const Result<Outcome>& outcome)
{
    return outcome ? to_answered(*outcome) : to_answered(outcome.error());
}

// A caller that keeps its lease completes it by hand, late, or never.
Task<Answered> complete_by_hand(
    Scene& scene, const Intent& intent, Dice& dice, Response response, Lease& lease
)
{
    if (!lease.is_open()) co_return Answered{Ending::not_kept, response};
    if (scene.strikes(FaultKind::handler_drops, dice)) co_return Answered{Ending::dropped};
    Result<void> settled;
    Ending ending = Ending::executed;
    switch (judge(response.status, intent.plan->policy)) {
        case Verdict::succeed: settled = co_await lease.async_finish(response); break;
        case Verdict::fail_final: settled = co_await lease.async_fail(response); break;
        case Verdict::release:
            ending = Ending::not_kept;
            settled = co_await lease.async_untouched(response);
            break;
        case Verdict::doubt:
            ending = Ending::in_doubt;
            settled = co_await lease.async_doubt("unclear");
            break;
    }
    if (!settled) co_return to_answered(settled.error());
    co_return Answered{ending, std::move(response)};
}

Task<Answered> begin_and_run(Scene& scene, Node& node, const Intent& intent, CallId call)
{
    Request request = request_of(intent);
    Result<Begun> begun = co_await node.engine().async_begin(std::move(request));
    if (!begun) co_return to_answered(begun.error());
    if (const auto* const outcome = std::get_if<Outcome>(&*begun)) co_return to_answered(*outcome);

    Lease lease = std::move(std::get<Lease>(*begun));
    Dice dice = scene.world.dice().fork(60'000 + call);
    Response response =
        co_await perform_effect(scene, *intent.plan, node.id(), call, intent.payload, lease);
    Answered answered = co_await complete_by_hand(scene, intent, dice, std::move(response), lease);
    co_return answered;
}

Task<Answered> run_leased(Scene& scene, Node& node, const Intent& intent, CallId call)
{
    const OperationPlan& plan = *intent.plan;
    AsyncLeasedHandler handler = [&scene, &node, &plan, call, payload = intent.payload](Lease& lease) {
        if (plan.is_in_rows) {
            return perform_row(scene, *node.database(), plan, call, payload, lease);
        }
        return perform_effect(scene, plan, node.id(), call, payload, lease);
    };
    Request request = request_of(intent);
    const Result<Outcome> outcome =
        co_await node.engine().async_leased(std::move(request), std::move(handler));
    co_return to_answered(outcome);
}

Task<Answered> run_atomic(Scene& scene, Node& node, const Intent& intent)
{
    AtomicHandler handler = [&scene, &intent](Transaction& transaction) {
        return perform_atomic(scene, *intent.plan, intent.id, intent.payload, transaction);
    };
    Request request = request_of(intent);
    const Result<Outcome> outcome =
        co_await node.engine().async_atomically(std::move(request), std::move(handler));
    co_return to_answered(outcome);
}

Task<Answered> call_engine(Scene& scene, Node& node, const Intent& intent, CallId call)
{
    if (intent.plan->policy.guarantee == Guarantee::atomic) return run_atomic(scene, node, intent);
    if (intent.keeps_lease) return begin_and_run(scene, node, intent, call);
    return run_leased(scene, node, intent, call);
}

Task<void> answer(
    Scene& scene, Node& node, Intent intent, CallId call, std::shared_ptr<Mailbox<Ending>> box
)
{
    Answered answered;
    try {
        answered = co_await call_engine(scene, node, intent, call);
    } catch (const HandlerFailed&) {
        answered = {.ending = Ending::failed};
    }
    Call& ended = scene.evidence.calls[call];
    ended.ended = scene.world.now();
    ended.ending = answered.ending;
    ended.response = answered.response;
    ended.omitted = answered.omitted;
    scene.world.tell(
        "call {} {} ends {} {}", call, name_of(intent.id), to_text(ended.ending), ended.response.body
    );
    const Ending ending = answered.ending;
    scene.world.post(1ms, outside, [box, ending] { box->put(ending); });
}

}  // namespace

void serve(
    Scene& scene, Node& node, const Intent& intent, std::shared_ptr<Mailbox<Ending>> box
)
{
    const CallId call = scene.begin_call(node.id(), intent.id, intent.payload);
    scene.world.tell("call {} {} at node {}", call, name_of(intent.id), node.id());
    scene.spawn(node.id(), call, answer(scene, node, intent, call, std::move(box)));
}

}  // namespace umavez::simulation
