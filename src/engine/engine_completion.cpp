// Completing: every write an owner makes under its token, driven until its fate is known.

#include "base/assert.hpp"
#include "base/fault_point.hpp"
#include "base/limits.hpp"
#include "core/transition.hpp"
#include "database/lane_thread.hpp"
#include "engine/engine_impl.hpp"
#include "engine/refusals.hpp"
#include "engine/replayed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace umavez {
namespace {

// What a fenced owner may tell its caller: the truth that is in the record now.
Outcome answer_instead(std::optional<Record>& there, const LeaseState& lease, Instant now)
{
    if (!there) return InDoubt{};
    if (there->status == Status::processing) {
        const Duration left = there->processing_expires_at ? *there->processing_expires_at - now
                                                           : lease.operation.policy.lease;
        return InProgress{std::max(left, Duration{1})};
    }
    const bool is_kept = there->status == Status::succeeded ||
                         (there->status == Status::failed && there->final);
    if (!is_kept) return InDoubt{};
    return to_replayed(*std::move(there));
}

// Not completed, or a completion whose fate is unknown: writing the same again is recognised.
bool is_settleable(const LeaseState& lease)
{
    return lease.settled == Settled::open || lease.settled == Settled::in_transaction ||
           lease.settled == Settled::unsettled;
}

bool is_own_completion(const std::optional<Record>& there, const LeaseState& lease)
{
    return there && there->token == lease.token && is_completed(*there);
}

// Without the response, which is added when the draft is sent.
Draft last_draft(const LeaseState& lease, Settled as)
{
    const Policy& policy = lease.operation.policy;
    switch (as) {
        case Settled::finished:
            return complete_draft(lease.record, Status::succeeded, std::nullopt, policy);
        case Settled::failed:
            return complete_draft(lease.record, Status::failed, std::nullopt, policy);
        case Settled::released: return release_draft(lease.record, std::nullopt, policy);
        case Settled::open:
        case Settled::in_transaction:
        case Settled::doubted:
        case Settled::lost:
        case Settled::unsettled: break;
    }
    return doubt_draft(lease.record, policy.settle);
}

AuditEvent event_of(Settled as)
{
    if (as == Settled::doubted) return AuditEvent::in_doubt;
    return as == Settled::released ? AuditEvent::released : AuditEvent::executed;
}

}  // namespace

Task<Result<void>> EngineImpl::write(LeaseState& lease, const OwnerWrite& wanted)
{
    // The effect has happened: as long as the lease may be ours, trying again beats leaving it in doubt.
    const Duration patience = std::max(options_.store_patience, lease.operation.policy.lease);
    std::optional<Duration> failing_since;
    CompletionFlow flow{wanted};
    CompletionStep step = flow.start();
    for (;;) {
        if (std::holds_alternative<WriteStep>(step)) {
            Change change = flow.change();
            Replaced replaced;
            auto answered = co_await store_.replace_one(lease.id, change, replaced);
            step = answered ? flow.on_replaced(std::move(replaced))
                            : flow.on_error(std::move(answered).error());
        } else if (const auto* const repeat = std::get_if<RepeatStep>(&step)) {
            if (!failing_since) failing_since = clock_.boottime();
            co_await Pause{timers_, repeat->delay};
            step = flow.on_pause_over(clock_.boottime() - *failing_since > patience);
        } else if (std::holds_alternative<DoneStep>(step)) {
            lease.record = *std::move(flow.there());
            co_return Result<void>{};
        } else if (const auto* const fenced = std::get_if<FencedStep>(&step)) {
            if (is_own_completion(flow.there(), lease)) {
                adopt(lease, *std::move(flow.there()));
                co_return fail_completed_before();
            }
            fence(lease, flow.there(), fenced->now);
            co_return fail(Errc::lease_lost, "another owner holds the key; the result was not stored");
        } else {
            lease.instead = Unavailable{Effect::unknown, flow.error().detail};
            co_return std::unexpected(flow.error());
        }
    }
}

Task<Result<void>> EngineImpl::save(LeaseRef lease, std::string checkpoint)
{
    if (checkpoint.size() > limits::checkpoint_bytes_max) {
        co_return fail(
            Errc::limit_exceeded,
            fmt::format(
                "checkpoint has {} bytes, at most {} are kept",
                checkpoint.size(),
                limits::checkpoint_bytes_max
            )
        );
    }
    if (on_lane_thread()) {
        co_return fail(Errc::wrong_thread, "save the checkpoint before or after the transaction");
    }
    if (is_in_child()) co_return fail_in_child();
    if (!is_settleable(*lease)) co_return fail_completed_before();
    if (lease->unprotected) co_return Result<void>{};
    co_await FaultPointReached{FaultPoint::save_before_write};
    const OwnerWrite progress{
        .expected = owner_expects(lease->token),
        .draft = save_draft(lease->record, std::move(checkpoint), lease->operation.policy),
        .audit = std::nullopt,
    };
    auto written = co_await write(*lease, progress);
    co_await FaultPointReached{FaultPoint::save_after_write};
    co_return written;
}

Task<Result<void>> EngineImpl::settle(
    LeaseRef lease, Settled as, std::optional<Response> response, std::string why
)
{
    if (on_lane_thread()) {
        co_return fail(Errc::wrong_thread, "inside a transaction call finish(transaction, response)");
    }
    if (is_in_child()) co_return fail_in_child();
    if (!is_settleable(*lease)) co_return fail_completed_before();
    lease->response = std::move(response);
    if (lease->unprotected) {
        consume(*lease, as);
        co_return Result<void>{};
    }

    co_await FaultPointReached{
        as == Settled::doubted ? FaultPoint::doubt_before_write : FaultPoint::complete_before_write
    };
    const OwnerWrite last = last_write(*lease, as, std::move(why));
    auto written = co_await write(*lease, last);
    co_await FaultPointReached{FaultPoint::complete_after_write};

    if (!written && !is_settleable(*lease)) co_return written;  // settled by an earlier completion of ours
    if (!written && written.error().code != Errc::lease_lost) {
        // Still ours as far as anybody knows: heartbeats go on, and the owner may try again.
        lease->settled = Settled::unsettled;
        co_return written;
    }
    consume(*lease, written ? as : Settled::lost);
    co_return written;
}

// What a completion, a release or a doubt writes.
OwnerWrite EngineImpl::last_write(const LeaseState& lease, Settled as, std::string why) const
{
    const bool is_known = as != Settled::doubted;
    return {
        // An owner that knows the answer settles even a record that somebody held meanwhile.
        .expected = is_known ? settler_expects(lease.token) : owner_expects(lease.token),
        .draft = last_draft(lease, as),
        .response = is_known && lease.response ? &*lease.response : nullptr,
        .response_bytes_max = lease.operation.policy.response_bytes_max,
        .audit = audit(event_of(as), std::move(why)),
    };
}

// Somebody else has the key: the answer is what is there.
void EngineImpl::fence(LeaseState& lease, std::optional<Record>& there, Instant now)
{
    const std::int64_t met = there ? there->token.epoch : 0;
    lease.instead = answer_instead(there, lease, now);
    lease.operation.tally.add(Count::fenced);
    note(lease.id, AuditEvent::fenced, met, fmt::format("epoch {} came late", lease.token.epoch));
}

// A completion of ours is there already: one inside a transaction, or one whose fate was unknown.
void EngineImpl::adopt(LeaseState& lease, Record&& completed)
{
    const bool is_kept = completed.status == Status::succeeded || completed.final;
    const Settled kept = completed.status == Status::succeeded ? Settled::finished : Settled::failed;
    lease.record.expires_at = completed.expires_at;
    if (completed.response) lease.response = std::move(completed.response->response);
    consume(lease, is_kept ? kept : Settled::released);
}

void EngineImpl::consume(LeaseState& lease, Settled as)
{
    lease.settled = as;
    if (as == Settled::released) lease.operation.tally.add(Count::released);
    keeper_.remove(lease);
    flights_.notify(lease.id);
}

Result<void> EngineImpl::finish_in(Transaction& transaction, std::vector<LeaseFinish> all)
{
    return all.front().lease->state_->engine.finish_own(transaction, all);
}

Result<void> EngineImpl::finish_own(Transaction& transaction, std::vector<LeaseFinish>& all)
{
    if (transactional_ == nullptr) {
        auto refused =
            fail(Errc::misconfigured, "finish inside a transaction needs a store in the same database");
        return transaction.spoil(std::move(refused).error());
    }
    if (is_in_child()) return transaction.spoil(fail_in_child().error());
    std::vector<LeaseState*> leases;
    std::vector<OwnerWrite> writes;
    for (LeaseFinish& one : all) {
        LeaseState& lease = *one.lease->state_;
        UMAVEZ_ASSERT(&lease.engine == this);
        if (!is_settleable(lease)) return transaction.spoil(fail_completed_before().error());
        lease.response = std::move(one.response);
        if (lease.unprotected) continue;
        lease.settled = Settled::in_transaction;
        leases.push_back(&lease);
        writes.push_back(last_write(lease, Settled::finished, "in a transaction"));
    }
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < leases.size(); ++i) {
        Change change = CompletionFlow{writes[i]}.change();
        replacements.push_back(
            {leases[i]->id, change.expected, std::move(change.next), std::move(change.audit)}
        );
    }
    auto replaced = transactional_->replace_all(transaction, std::move(replacements));
    // An error that is overlooked must not commit rows that the lease does not fence.
    if (!replaced) return transaction.spoil(std::move(replaced).error());
    for (std::size_t i = 0; i < leases.size(); ++i) {
        CompletionFlow flow{writes[i]};
        auto judged = judge_finish(*leases[i], flow, std::move((*replaced)[i]));
        if (!judged) return transaction.spoil(std::move(judged).error());
    }
    return {};
}

// What the store answered to a completion inside a transaction.
Result<void> EngineImpl::judge_finish(LeaseState& lease, CompletionFlow& flow, Replaced replaced)
{
    const Instant now = replaced.now;
    const CompletionStep step = flow.on_replaced(std::move(replaced));
    if (std::holds_alternative<DoneStep>(step)) return {};
    if (is_own_completion(flow.there(), lease)) return fail_completed_before();
    fence(lease, flow.there(), now);
    return fail(Errc::lease_lost, "another owner holds the key; this transaction rolls back");
}

void EngineImpl::drop(LeaseState& lease)
{
    if (!is_settleable(lease)) return;  // the keeper forgot it when it was consumed
    if (is_in_child()) return;          // the lease is the parent's
    keeper_.remove(lease);
    if (lease.settled == Settled::open) lease.operation.tally.add(Count::leases_dropped);
}

}  // namespace umavez
