// Atomic mode: single flight in this process, then AtomicRun inside one transaction.

#include "engine/atomic_run.hpp"
#include "engine/engine_impl.hpp"
#include "engine/refusals.hpp"

#include <utility>
#include <vector>

namespace umavez {
namespace {

Error not_atomic(const Declared& operation, std::string_view cure)
{
    return {
        Errc::invalid_argument,
        "operation \"" + operation.name.text() + "\" is not atomic; " + std::string{cure},
        std::source_location::current()
    };
}

// What the commit, or its failure, means for the caller. Only what a retry can find out is Unavailable; the
// rest is the handler's own error, or the database's.
Result<Outcome> to_answer(AtomicRun& run, const Result<void>& committed)
{
    if (run.exception) std::rethrow_exception(run.exception);
    if (!committed && is_retryable(committed.error().code)) {
        return Unavailable{effect_of(committed.error().code), committed.error().detail};
    }
    if (run.error) return std::unexpected(*std::move(run.error));
    if (!committed) return std::unexpected(committed.error());
    return *std::move(run.outcome);
}

// The first was still running when this one came.
Outcome waited(Outcome&& outcome)
{
    if (auto* const replayed = std::get_if<Replayed>(&outcome)) replayed->waited = true;
    return std::move(outcome);
}

std::vector<Count> counts_of(const AtomicRun& run)
{
    std::vector<Count> counts;
    if (run.outcome) counts.push_back(Tally::count_of(*run.outcome));
    if (run.mismatch_ignored) counts.push_back(Count::mismatch_ignored);
    if (run.released) counts.push_back(Count::released);
    return counts;
}

// A handler without a record. There is nothing to keep of a failure, so its statements go too.
struct UnkeyedRun {
    const AtomicHandler& handler;
    std::optional<Response> response;
    std::exception_ptr exception;

    bool is_refused() const { return response && response->status >= 400; }

    // May be called again in another transaction when the first was lost.
    Result<void> run(Transaction& transaction)
    {
        response.reset();
        exception = nullptr;
        return transaction.nested([&]() -> Result<void> {
            try {
                auto answered = handler(transaction);
                if (!answered) return std::unexpected(answered.error());
                response = *std::move(answered);
            } catch (...) {
                exception = std::current_exception();
                return fail(Errc::invalid_argument, "the handler threw");
            }
            if (is_refused()) return fail(Errc::invalid_argument, "the handler refused");
            return {};
        });
    }
};

}  // namespace

Task<Result<Outcome>> EngineImpl::async_atomically(Request request, AtomicHandler handler)
{
    const auto entered = enter_to_claim(request);
    if (!entered) co_return std::unexpected(entered.error());
    Declared& operation = **entered;
    if (operation.policy.guarantee != Guarantee::atomic) {
        co_return std::unexpected(not_atomic(operation, "call leased()"));
    }
    auto id = record_id_of(request, operation.policy);
    if (!id) co_return std::unexpected(id.error());
    if (!*id) co_return co_await run_unkeyed(operation, std::move(handler));

    RecordId key = **std::move(id);
    const bool reads_aside = store_.traits().reads_aside;
    const bool looks_first = reads_aside && seen_keys_.meet(key);
    std::optional<Outcome> known;
    if (looks_first) known = co_await look_aside(operation, key, request);
    if (!known) {
        auto outcome = co_await run_atomic(operation, key, request, handler);
        if (!outcome) co_return outcome;
        // What could not be written may still be answered by what is there.
        const bool is_down = std::holds_alternative<Unavailable>(*outcome);
        if (is_down && reads_aside && !looks_first) {
            known = co_await look_aside(operation, key, request);
        }
        if (!known) known = *std::move(outcome);
    }
    operation.tally.add(*known);
    co_return *std::move(known);
}

// Duplicates wait here, in memory, and hold no lane. Whoever finds the key free runs: the one before may
// have rolled back.
Task<Result<Outcome>> EngineImpl::run_atomic(
    Declared& operation, RecordId id, const Request& request, const AtomicHandler& handler
)
{
    const Duration patience = request.wait.value_or(operation.policy.duplicate_wait);
    const Duration started_at = clock_.boottime();
    std::optional<Flights::Ticket> ticket;
    while (!flights_.try_enter(id)) {
        if (request.stop.stop_requested()) co_return fail_cancelled();
        // Joined before the flight is tried once more, so that an end in between is not missed.
        if (!ticket) {
            ticket.emplace(flights_, id, request.stop);
            if (ticket->is_valid()) continue;
        }
        const Duration left = patience - (clock_.boottime() - started_at);
        if (left <= Duration{0} || !ticket->is_valid()) {
            note(id, AuditEvent::in_progress, 0);  // it has not committed: there is no record yet
            co_return InProgress{std::chrono::seconds{1}};
        }
        co_await ticket->woken_within(left);
        if (is_stopped_.load(std::memory_order_relaxed)) co_return fail_stopped();
        if (!store_.traits().reads_aside) continue;
        // Most often the answer is there now, and a thousand waiters need not queue for the lane.
        std::optional<Outcome> known = co_await look_aside(operation, id, request);
        if (known) co_return waited(*std::move(known));
    }
    struct Leaving {
        Flights& flights;
        const RecordId& id;
        ~Leaving() { flights.leave(id); }
    } const leaving{flights_, id};

    const AtomicCall call{
        *transactional_, operation, id, request, handler, make_execution(), options_.audit
    };
    AtomicRun run{call};
    Closure closure = [&run](Transaction& transaction) { return run.run(transaction); };
    const TransactionalStore::RunLimits limits{
        .run = operation.policy.atomic_run_limit, .lock = patience
    };
    const Result<void> committed = co_await transactional_->async_run(std::move(closure), limits);
    // Somebody else's closure runs under this key, in another process.
    if (!committed && committed.error().code == Errc::busy) {
        note(id, AuditEvent::in_progress, 0);
        co_return InProgress{std::chrono::seconds{1}};
    }
    if (committed) {
        if (run.note) note(id, run.note->event, run.note->epoch, std::move(run.note->detail));
        if (run.mismatch_ignored) operation.tally.add(Count::mismatch_ignored);
        if (run.released) operation.tally.add(Count::released);
    }
    auto answer = to_answer(run, committed);
    if (answer && ticket) co_return waited(*std::move(answer));
    co_return answer;
}

Task<Result<Outcome>> EngineImpl::run_unkeyed(Declared& operation, AtomicHandler handler)
{
    UnkeyedRun run{handler, std::nullopt, nullptr};
    std::optional<Error> refusal;
    Closure closure = [&run, &refusal](Transaction& transaction) -> Result<void> {
        refusal.reset();
        auto done = run.run(transaction);
        // It is undone: nothing is left that should cost its neighbours a second run.
        if (done || transaction.is_spoiled()) return done;
        refusal = std::move(done.error());
        return {};
    };
    const TransactionalStore::RunLimits limits{
        .run = operation.policy.atomic_run_limit,
        .lock = operation.policy.duplicate_wait,
        .finds_itself = false,
    };
    Result<void> committed = co_await transactional_->async_run(std::move(closure), limits);
    if (run.exception) std::rethrow_exception(run.exception);
    if (committed && refusal) committed = std::unexpected(*std::move(refusal));
    if (!committed && is_retryable(committed.error().code)) {
        operation.tally.add(Count::unavailable);
        co_return Unavailable{effect_of(committed.error().code), committed.error().detail};
    }
    if (!committed && !run.is_refused()) co_return std::unexpected(committed.error());
    operation.tally.add(Count::unkeyed);
    co_return Unkeyed{*std::move(run.response)};
}

Result<Outcome> EngineImpl::atomically(
    Transaction& outer, Request request, const AtomicHandler& handler
)
{
    const auto entered = enter_in_transaction(request);
    if (!entered) return std::unexpected(entered.error());
    Declared& operation = **entered;
    if (operation.policy.guarantee != Guarantee::atomic) {
        return std::unexpected(not_atomic(operation, "only atomic operations run in a transaction"));
    }
    auto id = record_id_of(request, operation.policy);
    if (!id) return std::unexpected(id.error());
    if (!*id) {
        UnkeyedRun run{handler, std::nullopt, nullptr};
        const Result<void> done = run.run(outer);
        if (run.exception) std::rethrow_exception(run.exception);
        if (!done && !run.is_refused()) return std::unexpected(done.error());
        outer.after_commit([&operation] { operation.tally.add(Count::unkeyed); });
        return Unkeyed{*std::move(run.response)};
    }
    const AtomicCall call{
        *transactional_, operation, **id, request, handler, make_execution(), options_.audit
    };
    AtomicRun run{call};
    const Result<void> done = run.run(outer);
    // Whoever opened `outer` may undo it, or run it again: what is counted and told is what it committed.
    if (done) {
        outer.after_commit([this, &operation, met = **id, counts = counts_of(run), told = run.note] {
            for (const Count count : counts) operation.tally.add(count);
            if (told) note(met, told->event, told->epoch, told->detail);
        });
    }
    return to_answer(run, done);
}

}  // namespace umavez
