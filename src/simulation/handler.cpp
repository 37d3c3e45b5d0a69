#include "simulation/handler.hpp"

#include "base/digest.hpp"
#include "base/fault_point.hpp"
#include "simulation/mailbox.hpp"

#include <memory>
#include <utility>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

using EffectLetter = std::optional<EffectReply>;  // nullopt: no answer came

struct EnquiryAnswer {
    bool known = false;
    std::optional<Response> response;
};

// One dice per run of a key, so that other keys' runs do not change what this one does.
Dice run_dice(Scene& scene, const RecordId& id)
{
    const KeyEvidence& key = scene.evidence.keys[id];
    const std::uint64_t label = stable_hash({name_of(id)}) + key.runs.size() * 7919 + 11;
    return scene.world.dice().fork(label);
}

// A request whose delay nobody bounds may land long after its sender's lease, or its sender, is gone.
Duration travel_time(Scene& scene, const OperationPlan& plan, Dice& dice)
{
    const bool is_slow = scene.strikes(FaultKind::authority_slow, dice);
    const Duration longest = plan.obeys_lost ? scene.swarm.travel_max : scene.swarm.lease * 4;
    const Duration slow = dice.between(20ms, longest);
    const Duration usual = dice.between(1ms, 20ms);
    return is_slow ? slow : std::min(usual, longest);
}

Task<EffectLetter> send_request(
    Scene& scene, const OperationPlan& plan, NodeId node, Dice& dice, EffectRequest request
)
{
    const auto box = std::make_shared<Mailbox<EffectLetter>>();
    const Duration travel = travel_time(scene, plan, dice);
    const Duration back = dice.between(1ms, 20ms);
    const Duration patience = dice.between(100ms, scene.swarm.lease * 2);
    const bool is_lost = scene.strikes(FaultKind::authority_silent, dice);
    const AuthorityKind kind = plan.authority;
    World& world = scene.world;
    world.tell("node {} sends {}", node, name_of(request.id));
    world.post(travel, outside, [&scene, &world, box, kind, node, back, is_lost, request] {
        EffectReply reply = scene.authority.perform(kind, request);
        if (is_lost) return;
        world.post(back, node, [box, reply] { box->put(reply); });
    });
    world.post(patience, node, [box] { box->put(std::nullopt); });
    EffectLetter letter = co_await box->letter();
    co_return letter;
}

// What the handler makes of the authority's answer.
Task<Response> conclude(
    Scene& scene, Dice& dice, std::optional<EffectReply> reply, Lease& lease
)
{
    const bool throws = scene.strikes(FaultKind::handler_throws, dice);
    const bool is_unclear = scene.strikes(FaultKind::handler_unclear, dice);
    const bool says_untouched = dice.chance(500);
    if (throws) throw HandlerFailed("after the request");
    if (!reply) co_return Response{.status = 504, .body = "no answer"};
    if (is_unclear) co_return Response{.status = 502, .body = "unclear"};
    if (!reply->done && says_untouched) {
        const auto released = co_await lease.async_untouched(reply->response);
        if (!released) throw HandlerFailed("could not release");
        co_return reply->response;
    }
    // The excepted 4xx say "not now", which nobody could tell from a lost answer.
    if (!reply->done) co_return Response{.status = 422, .body = "refused"};
    co_return reply->response;
}

}  // namespace

Task<Response> perform_effect(
    Scene& scene, const OperationPlan& plan, NodeId node, CallId call, std::string payload, Lease& lease
)
{
    World& world = scene.world;
    const RecordId id = lease.id();
    Dice dice = run_dice(scene, id);
    scene.evidence.keys[id].runs.push_back({lease.token(), world.now(), call});
    world.tell("node {} runs {} for call {}", node, name_of(id), call);

    if (scene.strikes(FaultKind::handler_saves, dice)) {
        const auto saved = co_await lease.async_save("prepared");
        if (!saved && saved.error().code == Errc::lease_lost) throw HandlerFailed("lost while saving");
    }
    const bool is_slow = scene.strikes(FaultKind::handler_slow, dice);
    const Duration work = dice.between(1ms, is_slow ? scene.swarm.lease * 3 : 30ms);
    co_await Sleep{world, work};
    co_await FaultPointReached{FaultPoint::handler_before_effect};

    if (scene.strikes(FaultKind::handler_untouched, dice)) {
        const auto released = co_await lease.async_untouched();
        if (!released) throw HandlerFailed("could not release");
        co_return Response{.status = 503, .body = "not now"};
    }
    if (scene.strikes(FaultKind::handler_refused, dice)) {
        co_return Response{.status = 422, .body = "refused"};
    }
    if (scene.strikes(FaultKind::handler_throws, dice)) throw HandlerFailed("before the request");
    if (plan.obeys_lost && lease.lost().stop_requested()) throw HandlerFailed("the lease may be lost");

    EffectRequest request{
        .id = id, .effect_key = lease.effect_key(), .token = lease.token(), .payload = payload
    };
    std::optional<EffectReply> reply =
        co_await send_request(scene, plan, node, dice, std::move(request));
    co_await FaultPointReached{FaultPoint::handler_after_effect};
    Response response = co_await conclude(scene, dice, std::move(reply), lease);
    co_return response;
}

Task<Reconciliation> ask_authority(
    Scene& scene, const OperationPlan& plan, NodeId node, Enquiry enquiry
)
{
    World& world = scene.world;
    const RecordId id = enquiry.id;
    const KeyEvidence& key = scene.evidence.keys[id];
    Dice dice = world.dice().fork(
        stable_hash({name_of(id)}) + 104729 * (key.absences.size() + 3 * key.changes.size())
        + enquiry.attempts
    );
    const bool is_unknown = scene.strikes(FaultKind::enquiry_unknown, dice);
    const bool throws = dice.chance(300);
    const bool names_a_time = dice.chance(300);
    const bool is_slow = scene.strikes(FaultKind::authority_slow, dice);
    const Duration there = dice.between(1ms, 20ms);
    const Duration back = dice.between(1ms, is_slow ? scene.swarm.lease * 2 : 20ms);
    world.tell("node {} asks {}", node, name_of(id));

    const auto box = std::make_shared<Mailbox<EnquiryAnswer>>();
    EffectRequest request{
        .id = id, .effect_key = enquiry.effect_key, .token = enquiry.token, .payload = {}
    };
    const AuthorityKind kind = plan.authority;
    world.post(there, outside, [&scene, &world, box, kind, node, back, is_unknown, request] {
        EnquiryAnswer answer;
        if (!is_unknown) answer = {.known = true, .response = scene.authority.enquire(kind, request)};
        world.post(back, node, [box, answer] { box->put(answer); });
    });
    EnquiryAnswer answer = co_await box->letter();
    if (answer.known && answer.response) {
        Reconciliation happened = Happened{*answer.response};
        co_return happened;
    }
    if (answer.known) {
        Reconciliation absent = DidNotHappen{};
        co_return absent;
    }
    if (throws) throw HandlerFailed("the authority is down");
    StillUnknown unknown{.detail = "ask later"};
    if (names_a_time) unknown.retry_after = scene.swarm.lease / 2;
    Reconciliation later = std::move(unknown);
    co_return later;
}

}  // namespace umavez::simulation
