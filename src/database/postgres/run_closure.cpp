// PostgresDatabase::run: one closure, one transaction, and what is done when it is lost.
//
//   - lost before COMMIT: nothing happened; run again, a few times, after a pause of chance
//   - COMMIT without an answer: unknown. A closure that finds itself (it claims its key first, and that waits
//     for whatever the old backend still holds) is run again, on another connection, until somebody can tell
//     or the call's time is over; any other is store_unknown
//   - its own error: undone, and told

#include "base/pause.hpp"
#include "database/lane_thread.hpp"
#include "database/postgres/lock_probe.hpp"
#include "database/postgres/postgres_database.hpp"

namespace umavez::pg {
namespace {

enum class Next : std::uint8_t { answer, run_again };

struct Attempt {
    Result<void> result;
    Next next = Next::answer;
    bool wants_savepoints = false;
    bool is_unknown = false;
    bool was_blocked = false;  // by a lock, the key's or another
    bool is_lost = false;      // broken or out of time: it did not get as far as an answer of its own
};

Attempt end(PostgresTransaction& transaction, Result<void> done)
{
    Attempt attempt;
    attempt.wants_savepoints = transaction.wants_savepoints();
    attempt.was_blocked = transaction.was_blocked();
    if (done && !transaction.is_spoiled() && transaction.depth() > 0) {
        done = fail(Errc::invalid_argument, "the closure left a savepoint open");
    }
    if (done && !transaction.is_spoiled()) {
        const PostgresTransaction::End ended = transaction.commit();
        if (ended.committed == Committed::yes) return attempt;
        attempt.wants_savepoints = transaction.wants_savepoints();
        attempt.is_unknown = ended.committed == Committed::unknown;
        attempt.result = std::unexpected(*ended.error);
        if (transaction.may_run_again()) attempt.next = Next::run_again;
        return attempt;
    }
    attempt.is_lost = transaction.is_lost();
    transaction.roll_back();
    if (!done && done.error().code == Errc::busy) {
        attempt.result = std::move(done);  // the key's holder did not end in time
    } else if (transaction.is_lost()) {
        attempt.result = std::unexpected(transaction.spoiled_by());
        if (transaction.may_run_again()) attempt.next = Next::run_again;
    } else if (done) {
        attempt.result = std::unexpected(transaction.spoiled_by());
    } else {
        // "The row changed inside the transaction": another may find it quiet.
        const bool lost_race = done.error().code == Errc::store_unavailable;
        if (lost_race) attempt.next = Next::run_again;
        attempt.result = std::move(done);
    }
    return attempt;
}

Attempt read(PostgresTransaction& transaction, Result<void> done)
{
    Attempt attempt;
    transaction.roll_back();
    if (transaction.is_spoiled()) done = std::unexpected(transaction.spoiled_by());
    if (transaction.is_lost() && transaction.may_run_again()) attempt.next = Next::run_again;
    attempt.result = std::move(done);
    return attempt;
}

Attempt attempt(Connection& connection, const TransactionOptions& options, const Closure& closure)
{
    PostgresTransaction transaction{connection, options};
    const LaneThreadMark mark;
    try {
        Result<void> done = closure(transaction);
        const bool only_reads = options.access == Access::read;
        return only_reads ? read(transaction, std::move(done)) : end(transaction, std::move(done));
    } catch (...) {
        transaction.roll_back();
        throw;
    }
}

}  // namespace

Result<void> PostgresDatabase::run(
    const Closure& closure, const RunOptions& options, Duration asked_at
)
{
    TransactionOptions transaction{
        .database = number_,
        .clock = clock(),
        .access = options.access,
        .savepoints = options.savepoints,
        .run_limit = options.run_limit,
        .lock_timeout = options.lock_timeout,
    };
    const Purpose purpose = options.access == Access::read ? Purpose::read : Purpose::closure;
    std::optional<Error> unknown;  // a COMMIT of ours has no answer yet
    std::optional<Duration> answer_by;
    Duration waits_since = asked_at;
    for (int tries = 1;; ++tries) {
        const auto time_left = [&] { return *answer_by - system_clock().boottime(); };
        const auto is_over = [&] {
            return unknown ? time_left() <= Duration{0} : tries >= tuning::closure_tries_max;
        };
        auto loan = parts_->pool.acquire(purpose, waits_since, unknown ? answer_by : std::nullopt);
        waits_since = system_clock().boottime();
        if (!loan) {
            if (!unknown) return std::unexpected(loan.error());
            // A server that is away may stay so: the caller's retry finds out as well as we would.
            if (is_over() || parts_->pool.is_away()) return std::unexpected(*unknown);
            continue;
        }
        if (!answer_by) {
            answer_by = waits_since + options.lock_timeout +
                        tuning::run_limits_per_call * options.run_limit;
        }
        if (unknown) {
            transaction.lock_timeout = std::max<Duration>(time_left(), std::chrono::milliseconds{1});
            transaction.run_limit = std::min(options.run_limit, transaction.lock_timeout);
        }
        if (options.access == Access::read_write && !unknown) {
            auto ours = check_schema(**loan);
            if (!ours && (*loan)->is_lost() && !is_over()) continue;
            if (!ours) return ours;
        }
        Attempt done = attempt(**loan, transaction, closure);
        if (done.is_unknown) {
            if (!options.finds_itself) return done.result;
            unknown = done.result.error();
        }
        if (done.result) return {};
        const bool is_busy = done.result.error().code == Errc::busy;
        if (is_busy && options.lock_probe && is_table_locked(**loan, *options.lock_probe)) {
            done.result = std::unexpected(table_locked_error());
        }
        const bool is_blocked = done.was_blocked;
        if (!unknown) {
            if (done.next == Next::answer || is_over()) return done.result;
        } else {
            // Whatever it says, it cannot say that the first run did not commit, unless it got as
            // far as an answer of its own.
            const bool is_known =
                done.next == Next::answer && !is_blocked && !done.is_unknown && !done.is_lost;
            if (is_known) return done.result;
            if (is_over()) return std::unexpected(*unknown);
        }
        if (done.wants_savepoints) {
            transaction.savepoints = Savepoints::real;
            ++reruns_;
        } else {
            pause_up_to(tuning::retry_pause_most);
        }
        waits_since = system_clock().boottime();
    }
}

}  // namespace umavez::pg
