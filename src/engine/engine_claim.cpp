// Claiming: the coroutine that drives ClaimFlow, and what a caller is told when the key is not its.

#include "base/fault_point.hpp"
#include "core/transition.hpp"
#include "engine/atomic_run.hpp"
#include "engine/engine_impl.hpp"
#include "engine/replayed.hpp"

#include <algorithm>
#include <utility>

namespace umavez {

// An answer is taken out of its co_await before it is used: what an expression with a co_await holds lies in
// the coroutine's frame.
Task<EngineImpl::Claimed> EngineImpl::claim(
    Declared& operation, RecordId& id, const Request& request, Sighting* seen
)
{
    keeper_.get_ready();
    // A repeated write may find the first one applied, so the lease counts from the first.
    const Duration sent_at = clock_.boottime();
    ClaimFlow flow{id, request, operation.policy, make_execution(), options_.audit};
    ClaimStep step =
        seen == nullptr ? flow.start() : flow.start_from(*std::move(seen->record), seen->now);
    for (;;) {
        if (std::holds_alternative<InsertStep>(step)) {
            co_await FaultPointReached{FaultPoint::claim_before_write};
            Insertion insertion = flow.insertion();
            Found found;
            auto answered = co_await store_.insert_or_get_one(insertion, found);
            step = answered ? flow.on_found(std::move(found))
                            : flow.on_error(std::move(answered).error());
        } else if (const auto* const replace = std::get_if<ReplaceStep>(&step)) {
            co_await FaultPointReached{
                replace->holds ? FaultPoint::hold_before_write : FaultPoint::claim_before_write
            };
            Change change = flow.change();
            Replaced replaced;
            auto answered = co_await store_.replace_one(id, change, replaced);
            step = answered ? flow.on_replaced(std::move(replaced))
                            : flow.on_error(std::move(answered).error());
        } else if (const auto* const pause = std::get_if<PauseStep>(&step)) {
            co_await Pause{timers_, pause->delay};
            const bool is_over = clock_.boottime() - sent_at > options_.store_patience;
            step = flow.on_pause_over(is_over);
        } else if (const auto* const owned = std::get_if<OwnedStep>(&step)) {
            co_await FaultPointReached{FaultPoint::claim_after_write};
            operation.tally.add(Count::claims);
            if (owned->takeover) operation.tally.add(Count::takeovers);
            note_if_ignored(operation, id, request, flow.record());
            auto lease = std::make_shared<LeaseState>(
                *this, operation, std::move(id), std::move(flow.record()), sent_at
            );
            const LeaseTimes times{sent_at, sent_at, clock_.boottime()};
            if (!may_be_lost(times, operation.policy)) {
                keeper_.add(*lease);
                co_return lease;
            }
            // The claim took as long as its lease, and nothing ran. A key that was free is given back; one
            // that stands for an earlier owner's work keeps its doubt, and is left to expiry.
            const bool was_free = lease->record.mode == Mode::run && !owned->takeover;
            if (was_free) {
                auto released = settle(lease, Settled::released, std::nullopt, "claimed too late");
                static_cast<void>(co_await std::move(released));
                co_return Outcome{Unavailable{Effect::none, "the store took longer than the lease"}
                };
            }
            consume(*lease, Settled::lost);
            co_return Outcome{InProgress{operation.policy.lease}};
        } else if (const auto* const answer = std::get_if<AnswerStep>(&step)) {
            co_return to_outcome(operation, id, request, answer->decision, flow.record());
        } else if (flow.error().code == Errc::busy) {
            // A transaction that has not committed holds the key: there is no record to show yet.
            note(id, AuditEvent::in_progress, 0);
            co_return Outcome{InProgress{std::chrono::seconds{1}}};
        } else {
            Unclaimed unclaimed{flow.error(), flow.is_key_free()};
            co_return unclaimed;
        }
    }
}

Outcome EngineImpl::to_outcome(
    Declared& operation,
    const RecordId& id,
    const Request& request,
    const Decision& decision,
    Record& record
)
{
    if (std::holds_alternative<Replay>(decision)) {
        if (!note_if_ignored(operation, id, request, record)) {
            note(id, AuditEvent::replayed, record.token.epoch);
        }
        return to_replayed(std::move(record));
    }
    if (const auto* const mismatch = std::get_if<Mismatch>(&decision)) {
        note_mismatch(id, *mismatch, record.token.epoch);
        return *mismatch;
    }
    note_if_ignored(operation, id, request, record);
    if (const auto* const in_progress = std::get_if<InProgress>(&decision)) {
        note(id, AuditEvent::in_progress, record.token.epoch);
        return InProgress{std::max(in_progress->retry_after, Duration{1})};
    }
    return std::get<InDoubt>(decision);
}

void EngineImpl::note_mismatch(const RecordId& id, const Mismatch& mismatch, std::int64_t epoch)
{
    const char* const what = mismatch.target ? "another target" : "another fingerprint";
    note(id, AuditEvent::mismatch, epoch, what);
}

// Under `on_mismatch = original` another payload goes on by status, and somebody should know.
bool EngineImpl::note_if_ignored(
    Declared& operation, const RecordId& id, const Request& request, const Record& record
)
{
    if (record.fingerprint == request.fingerprint) return false;
    operation.tally.add(Count::mismatch_ignored);
    note(id, AuditEvent::mismatch_ignored, record.token.epoch);
    return true;
}

// The same for a store that has its records at hand: nothing is copied but the answer, and nobody waits.
std::optional<Outcome> EngineImpl::look_at_hand(Declared& operation, const Request& request)
{
    std::optional<Outcome> outcome;
    if (!request.key) return outcome;
    Met met;
    const auto look = [&](const Record& record, Instant now) {
        met = {record.token.epoch, record.fingerprint != request.fingerprint};
        const Decision decision = decide(&record, request, operation.policy, now);
        if (std::holds_alternative<Replay>(decision)) {
            outcome.emplace(to_replayed(record));
        } else if (const auto* const mismatch = std::get_if<Mismatch>(&decision)) {
            if (is_completed(record)) outcome = *mismatch;
        }
    };
    store_.look_at({request.tenant_id, request.operation, *request.key}, std::ref(look));
    if (outcome && (met.differs || options_.audit)) {
        note_known(operation, {request.tenant_id, request.operation, *request.key}, *outcome, met);
    }
    return outcome;
}

void EngineImpl::note_known(
    Declared& operation, const RecordId& id, const Outcome& known, const Met& met
)
{
    if (const auto* const mismatch = std::get_if<Mismatch>(&known)) {
        note_mismatch(id, *mismatch, met.epoch);
    } else if (met.differs) {
        operation.tally.add(Count::mismatch_ignored);
        note(id, AuditEvent::mismatch_ignored, met.epoch);
    } else {
        note(id, AuditEvent::replayed, met.epoch);
    }
}

// A final record, read without waiting for writers. Anything but a hit must go to the store's front door.
Task<std::optional<Outcome>> EngineImpl::look_aside(
    Declared& operation, const RecordId& id, const Request& request
)
{
    if (operation.policy.replay == Replaying::current) {
        co_return co_await look_at_current(operation, id, request);
    }
    RecordId wanted = id;
    auto sighting = co_await store_.find(std::move(wanted));
    if (!sighting || !sighting->record) co_return std::nullopt;
    const Decision decision = decide(&*sighting->record, request, operation.policy, sighting->now);
    const bool is_final_mismatch =
        std::holds_alternative<Mismatch>(decision) && is_completed(*sighting->record);
    if (!std::holds_alternative<Replay>(decision) && !is_final_mismatch) co_return std::nullopt;
    co_return to_outcome(operation, id, request, decision, *sighting->record);
}

// What a reader shows of a key that could not be claimed. A store that cannot even be read shows nothing.
Task<bool> EngineImpl::shows_owner(
    const Declared& operation, const RecordId& id, const Request& request
)
{
    RecordId wanted = id;
    const auto sighting = co_await store_.find(std::move(wanted));
    if (!sighting) co_return !is_retryable(sighting.error().code);
    if (!sighting->record) co_return false;
    const Decision decision = decide(&*sighting->record, request, operation.policy, sighting->now);
    const auto* const claim = std::get_if<Claim>(&decision);
    co_return claim == nullptr || !is_first_hand(*claim);
}

// What was answered from the state the database is in is still the answer, unless decide() says otherwise.
std::optional<EngineImpl::Sight> EngineImpl::look_at_known(
    const Declared& operation,
    const RecordId& id,
    const Request& request,
    const StateMark& state,
    Instant now
)
{
    std::optional<Sight> sight;
    known_answers_.look(state, id, now, [&](const KnownAnswers::Known& known) {
        const Decision decision = decide(&known.record, request, operation.policy, now);
        if (!std::holds_alternative<Replay>(decision)) return;
        const bool differs = known.record.fingerprint != request.fingerprint;
        sight = Sight{{known.record.token.epoch, differs}, known.answer, std::nullopt};
    });
    return sight;
}

// Record and entity from one read transaction, so that they belong together.
Result<EngineImpl::Sight> EngineImpl::read_current(
    Transaction& transaction, Declared& operation, const RecordId& id, const Request& request
)
{
    const std::optional<StateMark> state = transactional_->state_of(transaction);
    if (state) {
        auto sight = look_at_known(operation, id, request, *state, transaction.now());
        if (sight) return *std::move(sight);
    }
    auto sighting = transactional_->find(transaction, id);
    if (!sighting) return std::unexpected(sighting.error());
    if (!sighting->record) return Sight{};
    Record& record = *sighting->record;
    Sight sight;
    sight.met = {record.token.epoch, record.fingerprint != request.fingerprint};
    const Decision decision = decide(&record, request, operation.policy, sighting->now);
    if (const auto* const mismatch = std::get_if<Mismatch>(&decision)) {
        if (is_completed(record)) sight.outcome = *mismatch;
        return sight;
    }
    if (!std::holds_alternative<Replay>(decision)) return sight;
    std::optional<KnownAnswers::Known> known;
    if (state) {
        std::optional<StoredResponse> response = std::exchange(record.response, std::nullopt);
        known = KnownAnswers::Known{id, record, {}, transaction.now()};
        record.response = std::move(response);
    }
    auto replayed = replay(transaction, operation, std::move(record));
    if (!replayed) return std::unexpected(replayed.error());
    const auto* const answer = std::get_if<Replayed>(&*replayed);
    if (known && answer != nullptr) {
        known->answer = *answer;
        sight.news = News{*state, *std::move(known)};
    }
    sight.outcome = *std::move(replayed);
    return sight;
}

Task<std::optional<Outcome>> EngineImpl::look_at_current(
    Declared& operation, const RecordId& id, const Request& request
)
{
    Sight seen;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto sight = read_current(transaction, operation, id, request);
        if (!sight) return std::unexpected(sight.error());
        seen = *std::move(sight);
        return {};
    };
    const auto read = co_await transactional_->async_look(std::move(closure));
    if (!read || !seen.outcome) co_return std::nullopt;  // the lane will tell what is wrong
    // Only now: a closure that overlooked an error has read nothing.
    if (seen.news) known_answers_.keep(seen.news->state, std::move(seen.news->known));
    note_known(operation, id, *seen.outcome, seen.met);
    co_return std::move(seen.outcome);
}

Task<Result<std::optional<Outcome>>> EngineImpl::async_look_up(Request request)
{
    const auto operation = enter(request);
    if (!operation) co_return std::unexpected(operation.error());
    const auto id = record_id_of(request, (*operation)->policy);
    if (!id) co_return std::unexpected(id.error());
    if (!*id) co_return std::optional<Outcome>{};
    std::optional<Outcome> outcome = co_await look_aside(**operation, **id, request);
    if (outcome) (*operation)->tally.add(*outcome);
    co_return outcome;
}

}  // namespace umavez
