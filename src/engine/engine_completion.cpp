// Completing: every write an owner makes under its token, driven until its fate is known.

#include "base/fault_point.hpp"
#include "base/limits.hpp"
#include "core/transition.hpp"
#include "database/lane_thread.hpp"
#include "engine/engine_impl.hpp"
#include "engine/replayed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace umavez {
namespace {

// What a fenced owner may tell its caller: the truth that is in the record now.
Outcome answer_instead(const std::optional<Record>& there, const LeaseState& lease, Instant now)
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
    return to_replayed(*there);
}

// Not completed, or a completion whose fate is unknown: writing the same again is recognised.
bool is_settleable(const LeaseState& lease)
{
    return lease.settled == Settled::open || lease.settled == Settled::in_transaction ||
           lease.settled == Settled::unsettled;
}

Status status_of(Settled as)
{
    return as == Settled::finished ? Status::succeeded : Status::failed;
}

}  // namespace

Task<Result<void>> EngineImpl::write(
    LeaseRef lease, Draft draft, std::optional<AuditNote> audit, Expected expected
)
{
    CompletionFlow flow{Replacement{lease->id, expected, std::move(draft), std::move(audit)}};
    return drive(std::move(lease), std::move(flow));
}

Task<Result<void>> EngineImpl::drive(LeaseRef lease, CompletionFlow flow)
{
    const Duration started_at = clock_.boottime();
    // The effect has happened: as long as the lease may be ours, trying again beats leaving it in doubt.
    const Duration patience = std::max(options_.store_patience, lease->operation.policy.lease);
    CompletionStep step = flow.start();
    for (;;) {
        if (std::holds_alternative<WriteStep>(step)) {
            std::vector<Replacement> batch;
            batch.push_back(flow.replacement());
            auto replaced = co_await store_.replace(std::move(batch));
            step = replaced ? flow.on_replaced(std::move(replaced->front()))
                            : flow.on_replaced(std::unexpected(replaced.error()));
        } else if (const auto* const repeat = std::get_if<RepeatStep>(&step)) {
            co_await Pause{timers_, repeat->delay};
            step = flow.on_pause_over(clock_.boottime() - started_at > patience);
        } else if (auto* const done = std::get_if<DoneStep>(&step)) {
            lease->record = std::move(done->record);
            co_return Result<void>{};
        } else if (const auto* const fenced = std::get_if<FencedStep>(&step)) {
            lease->instead = answer_instead(fenced->there, *lease, fenced->now);
            lease->operation.tally.add(Count::fenced);
            note(lease->id, AuditEvent::fenced, fmt::format("epoch {}", lease->token.epoch));
            co_return fail(Errc::lease_lost, "another owner holds the key; the result was not stored");
        } else {
            const Error& error = std::get<UnsettledStep>(step).error;
            lease->instead = Unavailable{Effect::unknown, error.detail};
            co_return std::unexpected(error);
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
    if (lease->unprotected) co_return Result<void>{};
    co_await FaultPointReached{FaultPoint::save_before_write};
    Draft draft = save_draft(lease->record, std::move(checkpoint), lease->operation.policy);
    Expected expected = owner_expects(lease->token);
    auto written = co_await write(lease, std::move(draft), std::nullopt, expected);
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
    if (!is_settleable(*lease)) {
        co_return fail(Errc::invalid_argument, "the lease was completed before; complete it once");
    }
    if (lease->unprotected) {
        consume(*lease, as, std::move(response));
        co_return Result<void>{};
    }

    co_await FaultPointReached{
        as == Settled::doubted ? FaultPoint::doubt_before_write : FaultPoint::complete_before_write
    };
    auto written = co_await write_settled(lease, as, response, std::move(why));
    co_await FaultPointReached{FaultPoint::complete_after_write};

    if (!written && written.error().code != Errc::lease_lost) {
        // Still ours as far as anybody knows: heartbeats go on, and the owner may try again.
        lease->settled = Settled::unsettled;
        co_return written;
    }
    consume(*lease, written ? as : Settled::lost, std::move(response));
    co_return written;
}

// The write that a completion, a release or a doubt is.
Task<Result<void>> EngineImpl::write_settled(
    LeaseRef lease, Settled as, const std::optional<Response>& response, std::string why
)
{
    const Policy& policy = lease->operation.policy;
    std::optional<StoredResponse> stored;
    if (response) stored = to_stored(*response, policy.response_bytes_max);
    Draft draft;
    std::optional<AuditNote> note;
    switch (as) {
        case Settled::finished:
        case Settled::failed:
            draft = complete_draft(lease->record, status_of(as), *std::move(stored), policy);
            note = audit(AuditEvent::executed, std::move(why));
            break;
        case Settled::released:
            draft = release_draft(lease->record, std::move(stored), policy);
            note = audit(AuditEvent::released, std::move(why));
            break;
        case Settled::open:
        case Settled::in_transaction:
        case Settled::doubted:
        case Settled::lost:
        case Settled::unsettled:
            draft = doubt_draft(lease->record, policy.settle);
            note = audit(AuditEvent::in_doubt, std::move(why));
            break;
    }
    // An owner that knows the answer settles even a record that somebody held meanwhile.
    const Expected expected = draft.status == Status::in_doubt ? owner_expects(lease->token)
                                                               : settler_expects(lease->token);
    return write(std::move(lease), std::move(draft), std::move(note), expected);
}

void EngineImpl::consume(LeaseState& lease, Settled as, std::optional<Response> response)
{
    lease.settled = as;
    lease.response = std::move(response);
    keeper_.remove(lease);
    flights_.notify(lease.id);
}

Result<void> EngineImpl::finish_in(Transaction& transaction, LeaseState& lease, Response response)
{
    if (transactional_ == nullptr) {
        return fail(Errc::misconfigured, "finish inside a transaction needs a store in the same database");
    }
    if (!is_settleable(lease)) {
        return fail(Errc::invalid_argument, "the lease was completed before; complete it once");
    }
    if (lease.unprotected) {
        lease.response = std::move(response);
        return {};
    }
    const Policy& policy = lease.operation.policy;
    Replacement replacement{
        .id = lease.id,
        .expected = settler_expects(lease.token),
        .next = complete_draft(
            lease.record, Status::succeeded, to_stored(response, policy.response_bytes_max), policy
        ),
        .audit = audit(AuditEvent::executed, "in a transaction"),
    };
    CompletionFlow flow{replacement};
    const CompletionStep step =
        flow.on_replaced(transactional_->replace(transaction, std::move(replacement)));
    lease.settled = Settled::in_transaction;
    lease.response = std::move(response);
    if (std::holds_alternative<DoneStep>(step)) return {};
    if (const auto* const fenced = std::get_if<FencedStep>(&step)) {
        lease.instead = answer_instead(fenced->there, lease, fenced->now);
        return fail(Errc::lease_lost, "another owner holds the key; roll this transaction back");
    }
    return fail(Errc::store_unavailable, "the completion could not be written in this transaction");
}

void EngineImpl::drop(LeaseState& lease)
{
    keeper_.remove(lease);
    if (lease.settled == Settled::open) lease.operation.tally.add(Count::leases_dropped);
}

}  // namespace umavez
