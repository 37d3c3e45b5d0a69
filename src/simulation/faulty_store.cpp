#include "simulation/faulty_store.hpp"

#include <coroutine>

namespace umavez::simulation {

using namespace std::chrono_literals;

FaultyStore::FaultyStore(Scene& scene, Store& inner, FaultyStoreOptions options)
    : StoreDecorator(inner),
      scene_(scene),
      options_(options),
      traits_(inner.traits()),
      dice_(scene.world.dice().fork(50'000 + options.node))
{
    if (!options_.in_process) traits_.reads_aside = options_.reads_aside;
    if (options_.many_writers) traits_.one_writer = false;
}

FaultyStore::Fate FaultyStore::draw_fate(Command command)
{
    Fate fate;
    const bool refuses = scene_.strikes(FaultKind::store_refuses, dice_);
    const bool is_silent = scene_.strikes(FaultKind::store_silent, dice_);
    const bool is_lost = scene_.strikes(FaultKind::reply_lost, dice_);
    const bool is_late = scene_.strikes(FaultKind::late_write, dice_);
    const bool is_slow = scene_.strikes(
        command == Command::heartbeat ? FaultKind::slow_heartbeat : FaultKind::slow_store, dice_
    );
    fate.there = dice_.tailed(100us, is_slow ? scene_.swarm.lease : 5ms);
    fate.back = dice_.tailed(100us, is_slow ? scene_.swarm.lease : 5ms);
    const Duration late = dice_.between(300ms, scene_.swarm.lease * 2);
    const Duration gives_up_in = dice_.between(50ms, 250ms);
    if (refuses) {
        fate.refused = Errc::store_unavailable;
    } else if (command == Command::read) {
        return fate;
    } else if (is_silent) {
        fate.refused = Errc::store_unknown;
    } else if (is_late && !options_.in_process) {
        fate.there = late;
        fate.gives_up_in = gives_up_in;
    } else {
        fate.reply_lost = is_lost;
    }
    return fate;
}

template <typename Answer>
Async<Answer> FaultyStore::send(Command command, std::vector<Write> writes, Apply<Answer> apply)
{
    World& world = scene_.world;
    const NodeId node = options_.node;
    const CallId call = co_await CurrentCall{};
    // Killed in this very event: the code that still runs belongs to a process that is no more.
    if (!world.is_alive(node)) co_await std::suspend_always{};

    const Fate fate = draw_fate(command);
    const auto box = std::make_shared<Mailbox<Result<Answer>>>();
    if (fate.refused) {
        const Errc code = *fate.refused;
        world.post(fate.there + fate.back, node, [box, code] {
            box->put(fail(code, "the simulated store refuses"));
        });
    } else {
        for (const Write& write : writes) ++in_flight_[write];
        if (fate.gives_up_in) {
            world.post(*fate.gives_up_in, node, [box] {
                box->put(fail(Errc::store_unknown, "the simulated store is silent"));
            });
        }
        const NodeId carrier = options_.in_process ? node : outside;
        world.post(fate.there, carrier, [this, carrier, call, fate, writes, apply, box] {
            scene_.spawn(carrier, call, carry_out<Answer>(fate, writes, apply, box));
        });
    }
    Result<Answer> answer = co_await box->letter();
    co_return answer;
}

template <typename Answer>
Task<void> FaultyStore::carry_out(
    Fate fate, std::vector<Write> writes, Apply<Answer> apply, Box<Answer> box
)
{
    Result<Answer> answer = co_await apply(inner_);
    land(writes);
    if (fate.reply_lost) answer = fail(Errc::store_unknown, "the simulated answer was lost");
    scene_.world.post(fate.back, options_.node, [box, answer] { box->put(answer); });
}

Async<std::vector<Found>> FaultyStore::insert_or_get(std::vector<Insertion> batch)
{
    std::vector<Write> writes;
    for (const Insertion& each : batch) writes.emplace_back(each.id, each.draft.execution);
    if (options_.plain_read_back && batch.size() == 1 && is_in_flight(writes)) {
        const Result<Sighting> seen = co_await find(batch[0].id);
        if (seen && seen->record) {
            const bool is_ours = seen->record->token.execution == batch[0].draft.execution;
            std::vector<Found> found{{.inserted = is_ours, .record = *seen->record, .now = seen->now}};
            co_return found;
        }
    } else {
        co_await wait_for_own(writes);
    }
    Apply<std::vector<Found>> apply = [batch](Store& store) { return store.insert_or_get(batch); };
    auto answer = co_await send<std::vector<Found>>(Command::write, std::move(writes), std::move(apply));
    co_return answer;
}

Async<std::vector<Replaced>> FaultyStore::replace(std::vector<Replacement> batch)
{
    std::vector<Write> writes;
    for (const Replacement& each : batch) writes.emplace_back(each.id, each.next.execution);
    if (options_.plain_read_back && batch.size() == 1 && is_in_flight(writes)) {
        const Result<Sighting> seen = co_await find(batch[0].id);
        if (seen) {
            const bool is_done = seen->record &&
                                 seen->record->token.execution == batch[0].next.execution &&
                                 seen->record->status == batch[0].next.status;
            std::vector<Replaced> answer{{.done = is_done, .record = seen->record, .now = seen->now}};
            co_return answer;
        }
    } else {
        co_await wait_for_own(writes);
    }
    Apply<std::vector<Replaced>> apply = [batch](Store& store) { return store.replace(batch); };
    auto answer =
        co_await send<std::vector<Replaced>>(Command::write, std::move(writes), std::move(apply));
    co_return answer;
}

Async<std::vector<Replaced>> FaultyStore::heartbeat(std::vector<Heartbeat> batch)
{
    Apply<std::vector<Replaced>> apply = [batch](Store& store) { return store.heartbeat(batch); };
    return send<std::vector<Replaced>>(Command::heartbeat, {}, std::move(apply));
}

Async<Sighting> FaultyStore::find(RecordId id)
{
    const bool is_stale = options_.observer != nullptr && scene_.strikes(FaultKind::stale_read, dice_);
    Apply<Sighting> apply = [id](Store& store) { return store.find(id); };
    std::vector<Write> no_writes;
    Result<Sighting> seen =
        co_await send<Sighting>(Command::read, std::move(no_writes), std::move(apply));
    if (seen && is_stale) seen->record = options_.observer->before_last_change(id);
    co_return seen;
}

Async<Swept> FaultyStore::sweep(std::size_t count_max, Duration audit_retention)
{
    Apply<Swept> apply = [count_max, audit_retention](Store& store) {
        return store.sweep(count_max, audit_retention);
    };
    return send<Swept>(Command::write, {}, std::move(apply));
}

Async<Due> FaultyStore::due(DueQuery query)
{
    Apply<Due> apply = [query](Store& store) { return store.due(query); };
    return send<Due>(Command::read, {}, std::move(apply));
}

void FaultyStore::note(RecordId id, AuditNote audit) noexcept
{
    if (scene_.world.is_alive(options_.node)) inner_.note(std::move(id), std::move(audit));
}

bool FaultyStore::is_in_flight(const std::vector<Write>& writes) const
{
    for (const Write& write : writes) {
        if (in_flight_.contains(write)) return true;
    }
    return false;
}

void FaultyStore::land(const std::vector<Write>& writes)
{
    for (const Write& write : writes) {
        const auto found = in_flight_.find(write);
        if (--found->second == 0) in_flight_.erase(found);
    }
}

Task<void> FaultyStore::wait_for_own(std::vector<Write> writes)
{
    while (is_in_flight(writes)) co_await Sleep{scene_.world, 3ms};
}

}  // namespace umavez::simulation
