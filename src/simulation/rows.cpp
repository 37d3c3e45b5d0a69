// Handlers whose effect is a row of the same database. sim_ledger is the ledger of these effects; it is
// read by SQL of its own when the seed is over.

#include "base/digest.hpp"
#include "base/fault_point.hpp"
#include "simulation/handler.hpp"

#include <utility>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

Result<void> insert_row(
    Transaction& transaction, const RecordId& id, std::uint64_t number, const std::string& payload
)
{
    const Values values = {
        static_cast<std::int64_t>(number),
        id.tenant_id.text(),
        id.operation.text(),
        id.key.text(),
        payload,
        to_micros(transaction.now()),
    };
    const auto done = transaction.execute(
        "INSERT INTO sim_ledger(number, tenant_id, operation, key, payload, at) "
        "VALUES ($1, $2, $3, $4, $5, $6)",
        values
    );
    if (!done) return std::unexpected(done.error());
    return {};
}

}  // namespace

Result<Response> perform_atomic(
    Scene& scene, const OperationPlan& plan, const RecordId& id, const std::string& payload,
    Transaction& transaction
)
{
    KeyEvidence& key = scene.evidence.keys[id];
    Dice dice = scene.world.dice().fork(stable_hash({name_of(id)}) + key.runs.size() * 7919 + 11);
    key.runs.push_back({.at = scene.world.now()});
    scene.world.tell("runs {} {} inside a transaction", plan.name, name_of(id));

    const std::uint64_t number = ++scene.row_numbers;
    if (const auto written = insert_row(transaction, id, number, payload); !written) {
        return std::unexpected(written.error());
    }
    if (scene.strikes(FaultKind::handler_throws, dice)) throw HandlerFailed("inside a transaction");
    if (scene.strikes(FaultKind::handler_unclear, dice)) {
        return fail(Errc::invalid_argument, "the handler says no");
    }
    if (scene.strikes(FaultKind::handler_untouched, dice)) {
        return Response{.status = 503, .body = "not now"};
    }
    if (scene.strikes(FaultKind::handler_refused, dice)) {
        return Response{.status = 422, .body = "refused"};
    }
    if (scene.strikes(FaultKind::handler_saves, dice)) {
        // An expected error inside nested() costs nothing but its own statements.
        const auto twice = transaction.nested([&] { return insert_row(transaction, id, number, payload); });
        if (twice) scene.evidence.faults.push_back("sim_ledger took the same number twice");
    }
    return response_of(number, payload);
}

Task<Response> perform_row(
    Scene& scene, Database& database, const OperationPlan& plan, CallId call, std::string payload,
    Lease& lease
)
{
    const RecordId id = lease.id();
    KeyEvidence& key = scene.evidence.keys[id];
    Dice dice = scene.world.dice().fork(stable_hash({name_of(id)}) + key.runs.size() * 7919 + 11);
    key.runs.push_back({lease.token(), scene.world.now(), call});
    scene.world.tell("runs {} {} for call {}", plan.name, name_of(id), call);

    const bool is_slow = scene.strikes(FaultKind::handler_slow, dice);
    co_await Sleep{scene.world, dice.between(1ms, is_slow ? scene.swarm.lease * 3 : 30ms)};
    co_await FaultPointReached{FaultPoint::handler_before_effect};
    if (scene.strikes(FaultKind::handler_throws, dice)) throw HandlerFailed("before the transaction");

    const std::uint64_t number = ++scene.row_numbers;
    Response response = response_of(number, payload);
    Closure closure = [&id, &payload, &lease, &response, number](Transaction& transaction) {
        const auto written = insert_row(transaction, id, number, payload);
        if (!written) return written;
        return lease.finish(transaction, response);
    };
    const auto committed = co_await database.async_transact(std::move(closure));
    co_await FaultPointReached{FaultPoint::handler_after_effect};
    if (!committed) throw HandlerFailed(committed.error().detail);
    co_return response;
}

}  // namespace umavez::simulation
