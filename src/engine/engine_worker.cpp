// The worker: reconciles and takes over abandoned work. Each pass is one bounded call; what repeats it is in
// engine_sweep.cpp.

#include "base/fault_point.hpp"
#include "core/transition.hpp"
#include "engine/engine_impl.hpp"
#include "engine/refusals.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace umavez {
namespace {

Enquiry enquiry_of(const LeaseState& lease)
{
    return {
        .id = lease.id,
        .token = lease.token,
        .effect_key = effect_key_of(lease.id),
        .checkpoint = lease.record.checkpoint,
        .attempts = lease.record.attempts,
    };
}

// A worker asks for what the record already holds, so it is never a mismatch.
Request request_of(const NamedRecord& found)
{
    return {
        .tenant_id = found.id.tenant_id,
        .operation = found.id.operation,
        .key = found.id.key,
        .target = found.record.target,
        .fingerprint = found.record.fingerprint,
    };
}

// Abandoned work that a worker can bring further by itself: hold it, reconcile it, or run it from its
// payload.
bool is_for_worker(const Declared& operation)
{
    if (operation.policy.guarantee != Guarantee::leased) return false;
    return on_abandoned_of(operation.policy) != OnAbandoned::rerun || operation.spec.load;
}

// Under `rerun` without a payload a run waits for its client's retry; an enquiry about one does not.
bool is_left_to_client(const Declared& operation, const Record& abandoned)
{
    return !is_for_worker(operation) && abandoned.status == Status::processing &&
           abandoned.mode == Mode::run;
}

}  // namespace

Task<std::optional<Outcome>> EngineImpl::reconcile(LeaseRef lease)
{
    Declared& operation = lease->operation;
    Reconciliation answer = StillUnknown{};
    std::string failure;
    co_await FaultPointReached{FaultPoint::reconcile_before_ask};
    if (operation.spec.reconcile) {
        try {
            Enquiry enquiry = enquiry_of(*lease);
            answer = co_await operation.spec.reconcile(std::move(enquiry));
        } catch (const std::exception& exception) {
            failure = exception.what();
        } catch (...) {
            failure = "an exception of unknown type";
        }
    }
    co_await FaultPointReached{FaultPoint::reconcile_after_answer};

    if (auto* const happened = std::get_if<Happened>(&answer)) {
        operation.tally.add(Count::reconciled);
        const bool has_failed = judge(happened->response.status, operation.policy) == Verdict::fail_final;
        const auto settled = co_await settle(
            lease,
            has_failed ? Settled::failed : Settled::finished,
            std::move(happened->response),
            "reconciled: it happened"
        );
        if (!settled) co_return lease->instead.value_or(InDoubt{});
        co_return Replayed{
            *lease->response,
            has_failed ? Status::failed : Status::succeeded,
            false,
            lease->record.expires_at,
        };
    }
    // An enquiry that outlasted the lease proves nothing any more: somebody else may be running.
    const bool is_late = keeper_.is_lost(*lease);
    if (std::holds_alternative<DidNotHappen>(answer) && !is_late) {
        operation.tally.add(Count::reconciled);
        const OwnerWrite back_to_run{
            .expected = owner_expects(lease->token),
            .draft = run_draft(lease->record, operation.policy),
            .audit = audit(AuditEvent::reconciled, "it did not happen"),
        };
        const auto written = co_await write(*lease, back_to_run);
        if (!written) {
            consume(*lease, Settled::unsettled);  // not dropped: nobody forgot it
            co_return lease->instead.value_or(InDoubt{});
        }
        co_await FaultPointReached{FaultPoint::run_after_reconcile};
        co_return std::nullopt;
    }

    if (is_late) answer = StillUnknown{.retry_after = std::nullopt, .detail = "the answer came too late"};
    const auto& unknown = std::get<StillUnknown>(answer);
    const Duration own = std::max(
        operation.policy.settle, backoff(lease->record.attempts, random_share())
    );
    // Even an authority that says "at once" must not make the worker spin.
    const Duration retry_in =
        std::max<Duration>(unknown.retry_after.value_or(own), std::chrono::milliseconds{1});
    const std::string& detail = failure.empty() ? unknown.detail : failure;
    std::string why = detail.empty() ? "still unknown" : "still unknown: " + detail;
    const OwnerWrite doubt{
        .expected = owner_expects(lease->token),
        .draft = doubt_draft(lease->record, retry_in),
        .audit = audit(AuditEvent::in_doubt, std::move(why)),
    };
    co_await FaultPointReached{FaultPoint::doubt_before_write};
    const auto written = co_await write(*lease, doubt);
    consume(*lease, written ? Settled::doubted : Settled::unsettled);
    if (!written) co_return lease->instead.value_or(InDoubt{});
    co_return InDoubt{.retry_after = retry_in};
}

Task<Result<WorkReport>> EngineImpl::async_work_once()
{
    if (is_in_child()) co_return fail_in_child();
    if (is_stopped_.load(std::memory_order_relaxed)) co_return fail_stopped();
    DueQuery query;
    // Asked for apart: their abandoned runs, which are left alone, must not fill the page of the others.
    DueQuery enquiries;
    for (const Declared* operation : operations_.all()) {
        if (operation->spec.has_own_worker) continue;
        const bool is_asked = operation->policy.has_reconciler;
        if (is_for_worker(*operation)) {
            query.abandoned.push_back(operation->name);
        } else if (is_asked) {
            enquiries.abandoned.push_back(operation->name);
        }
        if (is_asked) query.in_doubt.push_back(operation->name);
    }
    WorkReport report;
    if (auto worked = co_await work_through(std::move(query), report); !worked) {
        co_return std::unexpected(worked.error());
    }
    if (auto worked = co_await work_through(std::move(enquiries), report); !worked) {
        co_return std::unexpected(worked.error());
    }
    co_return report;
}

Task<Result<void>> EngineImpl::work_through(DueQuery query, WorkReport& report)
{
    if (query.abandoned.empty() && query.in_doubt.empty()) co_return Result<void>{};
    auto due = co_await store_.due(std::move(query));
    if (!due) co_return std::unexpected(due.error());
    if (due->unreadable) report.unreadable = std::move(due->unreadable);
    for (NamedRecord& found : due->records) {
        if (is_stopped_.load(std::memory_order_relaxed)) break;
        NamedRecord mine = std::move(found);
        co_await work_on(std::move(mine), due->now, report);
    }
    co_return Result<void>{};
}

Task<void> EngineImpl::work_on(NamedRecord found, Instant now, WorkReport& report)
{
    const auto operation = operations_.find(found.id.operation);
    if (!operation || is_left_to_client(**operation, found.record)) co_return;
    const Request request = request_of(found);
    Sighting seen{.record = std::move(found.record), .now = now};
    Claimed claimed = co_await claim(**operation, found.id, request, &seen);
    const auto* const lease = std::get_if<LeaseRef>(&claimed);
    if (lease == nullptr) {
        const auto* const outcome = std::get_if<Outcome>(&claimed);
        if (outcome != nullptr && std::holds_alternative<InDoubt>(*outcome)) ++report.held;
        co_return;
    }
    ++report.claimed;
    Lease owned{*lease};
    if ((*lease)->record.mode == Mode::reconcile) {
        const std::optional<Outcome> answer = co_await reconcile(*lease);
        const bool is_settled = !answer || std::holds_alternative<Replayed>(*answer);
        ++(is_settled ? report.reconciled : report.still_unknown);
        if (answer) co_return;
    }
    co_await run_loaded(owned);
}

// A record holds no request: without a payload the key is released and the client's retry runs it. Where the
// payload cannot be loaded just now nobody else would come back, so the lease is left to expire: then the
// record is due again.
Task<void> EngineImpl::run_loaded(Lease& owned)
{
    const LeaseRef lease = owned.state_;
    const OperationSpec& spec = lease->operation.spec;
    std::optional<std::string> payload;
    std::optional<Response> response;
    bool has_load_failed = false;
    bool has_started = false;
    try {
        if (spec.load && spec.work) {
            has_load_failed = true;
            RecordId id = lease->id;
            payload = co_await spec.load(std::move(id));
            has_load_failed = false;
        }
        if (payload) {
            has_started = true;
            response = co_await spec.work(owned, *std::move(payload));
        }
    } catch (...) {
        // conclude() leaves a started handler in doubt.
        response.reset();
    }
    if (has_started) {
        const Outcome outcome = co_await conclude(lease, std::move(response));
        lease->operation.tally.add(outcome);
        co_return;
    }
    if (has_load_failed) {
        consume(*lease, Settled::unsettled);
        co_return;
    }
    const auto released = co_await settle(lease, Settled::released, std::nullopt, "for the client's retry");
    static_cast<void>(released);
}

}  // namespace umavez
