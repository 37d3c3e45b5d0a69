// Leased and cached mode: claim, perhaps wait or reconcile first, run the handler, complete by its result.

#include "base/digest.hpp"
#include "base/fault_point.hpp"
#include "core/transition.hpp"
#include "engine/engine_impl.hpp"
#include "engine/refusals.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace umavez {
namespace {

// Somebody in another process may finish at any time, and nobody tells us.
constexpr Duration poll_period_max = std::chrono::milliseconds{250};

Duration patience_of(const Request& request, const Policy& policy)
{
    if (request.wait) return *request.wait;
    return policy.on_duplicate == OnDuplicate::wait ? policy.duplicate_wait : Duration{0};
}

Begun counted(Declared& operation, Outcome&& outcome)
{
    operation.tally.add(outcome);
    return std::move(outcome);
}

}  // namespace

Result<Outcome> Engine::leased(Request request, LeasedHandler handler)
{
    AsyncLeasedHandler run = [&handler](Lease& lease) -> Task<Response> { co_return handler(lease); };
    return wait(async_leased(std::move(request), std::move(run)));
}

Task<Result<Outcome>> EngineImpl::async_leased(Request request, AsyncLeasedHandler handler)
{
    auto begun = co_await async_begin(std::move(request));
    if (!begun) co_return std::unexpected(begun.error());
    if (auto* const outcome = std::get_if<Outcome>(&*begun)) co_return std::move(*outcome);

    Lease lease = std::move(std::get<Lease>(*begun));
    LeaseRef state = lease.state_;
    std::optional<Response> response;
    std::exception_ptr exception;
    try {
        response = co_await handler(lease);
    } catch (...) {
        exception = std::current_exception();
    }
    Outcome outcome = co_await conclude(state, std::move(response));
    state->operation.tally.add(outcome);
    if (exception) std::rethrow_exception(exception);
    co_return outcome;
}

// A replay of a record that is at hand needs no coroutine. Who may not come in is told by the other.
Task<Result<Begun>> EngineImpl::async_begin(Request request)
{
    const auto entered = enter_to_claim(request);
    if (entered && (*entered)->policy.guarantee != Guarantee::atomic) {
        std::optional<Outcome> known = look_at_hand(**entered, request);
        if (known) {
            (*entered)->tally.add(*known);
            return Task<Result<Begun>>::ready(*std::move(known));
        }
    }
    return begin_at_store(std::move(request));
}

Task<Result<Begun>> EngineImpl::begin_at_store(Request request)
{
    const auto entered = enter_to_claim(request);
    if (!entered) co_return std::unexpected(entered.error());
    Declared& operation = **entered;
    if (operation.policy.guarantee == Guarantee::atomic) {
        co_return fail(
            Errc::invalid_argument,
            "operation \"" + operation.name.text() + "\" is atomic; call atomically()"
        );
    }
    auto identified = take_record_id(request, operation.policy);
    if (!identified) co_return std::unexpected(identified.error());
    if (!*identified) co_return Begun{Lease{unkeyed_lease(operation, request)}};
    RecordId& id = **identified;

    const bool reads_aside = store_.traits().reads_aside;
    if (reads_aside && seen_keys_.meet(id)) {
        std::optional<Outcome> known = co_await look_aside(operation, id, request);
        if (known) co_return counted(operation, *std::move(known));
    }
    const Duration patience = patience_of(request, operation.policy);
    const Duration started_at = patience > Duration{0} ? clock_.boottime() : Duration{0};
    std::optional<Flights::Ticket> ticket;
    for (bool is_first = true;; is_first = false) {
        if (!is_first && is_stopped_.load(std::memory_order_relaxed)) co_return fail_stopped();
        if (request.stop.stop_requested()) co_return fail_cancelled();
        Claimed claimed = co_await claim(operation, id, request);
        if (auto* const lease = std::get_if<LeaseRef>(&claimed)) {
            Lease owned{std::move(*lease)};
            if (owned.state_->record.mode == Mode::run) co_return Begun{std::move(owned)};
            std::optional<Outcome> answer = co_await reconcile(owned.state_);
            if (answer) co_return counted(operation, *std::move(answer));
            co_return Begun{std::move(owned)};
        }
        if (auto* const unclaimed = std::get_if<Unclaimed>(&claimed)) {
            // Whom an earlier round saw at the key is at it still.
            unclaimed->is_key_free = unclaimed->is_key_free && is_first;
            co_return co_await begin_unclaimed(operation, id, request, std::move(*unclaimed));
        }
        Outcome& outcome = std::get<Outcome>(claimed);
        auto* const replayed = std::get_if<Replayed>(&outcome);
        if (replayed != nullptr) replayed->waited = ticket.has_value();
        const auto* const in_progress = std::get_if<InProgress>(&outcome);
        if (in_progress == nullptr || patience <= Duration{0}) {
            co_return counted(operation, std::move(outcome));
        }
        const Duration left = patience - (clock_.boottime() - started_at);
        if (left <= Duration{0}) co_return counted(operation, std::move(outcome));

        // Joined before the store is asked once more, so that a completion in between is not missed.
        if (!ticket) {
            ticket.emplace(flights_, id, request.stop);
            if (!ticket->is_valid()) co_return counted(operation, std::move(outcome));
            continue;
        }
        const Duration pause = std::min({left, in_progress->retry_after, poll_period_max});
        co_await ticket->woken_within(pause);
    }
}

// The store does not take the claim. A reader may still know the answer; and where the policy says so the
// handler runs unprotected, unless anybody was seen at the key.
Task<Result<Begun>> EngineImpl::begin_unclaimed(
    Declared& operation, const RecordId& id, const Request& request, Unclaimed unclaimed
)
{
    if (!is_retryable(unclaimed.error.code)) co_return std::unexpected(std::move(unclaimed.error));
    if (unclaimed.is_key_free && store_.traits().reads_aside) {
        std::optional<Outcome> known = co_await look_aside(operation, id, request);
        if (known) co_return counted(operation, *std::move(known));
    }
    if (unclaimed.is_key_free && operation.policy.on_store_error == OnStoreError::open) {
        const bool has_owner = co_await shows_owner(operation, id, request);
        if (!has_owner) co_return Begun{Lease{unprotected_lease(operation, id)}};
    }
    Outcome unavailable = Unavailable{effect_of(unclaimed.error.code), std::move(unclaimed.error.detail)};
    co_return counted(operation, std::move(unavailable));
}

Task<Outcome> EngineImpl::conclude(LeaseRef lease, std::optional<Response> response)
{
    if (lease->settled == Settled::in_transaction) co_return co_await read_back(lease, std::move(response));
    const bool is_open = lease->settled == Settled::open || lease->settled == Settled::unsettled;
    if (!is_open) co_return settled_outcome(*lease);

    const Policy& policy = lease->operation.policy;
    const bool is_leased = policy.guarantee == Guarantee::leased;
    Settled as = is_leased ? Settled::doubted : Settled::released;
    std::string why = response ? "status " + std::to_string(response->status) : "exception";
    if (response) {
        switch (judge(response->status, policy)) {
            case Verdict::succeed: as = Settled::finished; break;
            case Verdict::fail_final: as = Settled::failed; break;
            case Verdict::release: as = Settled::released; break;
            case Verdict::doubt: as = Settled::doubted; break;
        }
    }
    // The error is in the outcome: `instead` says what a fenced or unsettled owner may answer.
    const auto settled = co_await settle(lease, as, std::move(response), std::move(why));
    static_cast<void>(settled);
    co_return settled_outcome(*lease);
}

Outcome EngineImpl::settled_outcome(LeaseState& settled)
{
    const Policy& policy = settled.operation.policy;
    Response response = std::move(settled.response).value_or(Response{.status = 500});
    // Without a record nothing is in doubt either: the handler's answer is all there is.
    const bool is_kept = settled.settled == Settled::finished || settled.settled == Settled::failed;
    if (settled.is_unkeyed) return Unkeyed{std::move(response)};
    if (settled.unprotected) return Executed{std::move(response), is_kept, true, std::nullopt};
    switch (settled.settled) {
        case Settled::finished:
        case Settled::failed:
            return Executed{.response = std::move(response), .expires_at = settled.record.expires_at};
        case Settled::released: return Executed{std::move(response), false, false, std::nullopt};
        case Settled::doubted:
            return InDoubt{.retry_after = policy.has_reconciler ? std::optional{policy.settle}
                                                                 : std::nullopt};
        case Settled::open:
        case Settled::in_transaction:
        case Settled::lost:
        case Settled::unsettled: break;
    }
    return settled.instead.value_or(InDoubt{});
}

// The handler completed inside a transaction of its own; only the record knows whether that committed.
Task<Outcome> EngineImpl::read_back(LeaseRef lease, std::optional<Response> response)
{
    RecordId id = lease->id;
    const auto sighting = co_await store_.find(std::move(id));
    const bool is_committed = sighting && sighting->record && sighting->record->token == lease->token &&
                              is_completed(*sighting->record);
    if (is_committed) {
        const Status status = sighting->record->status;
        lease->record.expires_at = sighting->record->expires_at;
        consume(*lease, status == Status::succeeded ? Settled::finished : Settled::failed);
        co_return settled_outcome(*lease);
    }
    if (lease->instead) {
        consume(*lease, Settled::lost);
        co_return settled_outcome(*lease);
    }
    // It did not commit, so what it answered is not true; what the handler did besides is unknown.
    const auto settled = co_await settle(
        lease, Settled::doubted, std::move(response), "the transaction with its completion did not commit"
    );
    static_cast<void>(settled);
    co_return settled_outcome(*lease);
}

EngineImpl::LeaseRef EngineImpl::unprotected_lease(Declared& operation, const RecordId& id)
{
    Record nothing;
    nothing.token.execution = make_execution();
    auto lease = std::make_shared<LeaseState>(
        *this, operation, RecordId{id}, std::move(nothing), clock_.boottime()
    );
    lease->unprotected = true;
    return lease;
}

// Nobody asked for protection; the random key only keeps effect keys of different calls apart.
EngineImpl::LeaseRef EngineImpl::unkeyed_lease(Declared& operation, const Request& request)
{
    const Execution random = make_execution();
    const std::string_view bytes{reinterpret_cast<const char*>(random.data()), random.size()};
    const auto key = Key::parse("unkeyed:" + to_hex(bytes));
    auto lease = unprotected_lease(operation, RecordId{request.tenant_id, request.operation, *key});
    lease->is_unkeyed = true;
    return lease;
}

}  // namespace umavez
