#include "database/sqlite/batch_runner.hpp"

#include "base/fault_point.hpp"
#include "base/limits.hpp"
#include "base/pause.hpp"
#include "database/lane_thread.hpp"
#include "database/sqlite/log_vfs.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

// From top to bottom: a batch, one member, its end; a member alone; begin; commit and settle; the
// rest.

namespace umavez {
namespace {

const StaticSql begin_sql{"BEGIN IMMEDIATE"};
const StaticSql commit_sql{"COMMIT"};
const StaticSql rollback_sql{"ROLLBACK"};
const StaticSql mark_sql{"UPDATE umavez_meta SET clock_mark = ?1, batch = ?2 WHERE id = 1"};
const StaticSql batch_sql{"SELECT batch FROM umavez_meta WHERE id = 1"};

std::unexpected<Error> fail_log_deleted(const std::string& path)
{
    return fail(
        Errc::store_unavailable,
        fmt::format(
            "{}-wal was deleted or replaced, and a crash would lose what was committed since: stop "
            "the "
            "server with SIGTERM, which saves it, and start it again",
            path
        )
    );
}

Error misread_error()
{
    return {
        Errc::store_unavailable,
        "the disk failed while the log was copied into the database: what was read meanwhile is "
        "not "
        "believed, and nothing of it was kept",
        std::source_location::current()
    };
}

bool is_standard_exception(const std::exception_ptr& thrown)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

BatchRunner::BatchRunner(std::unique_ptr<Connection> connection, const BatchRunnerOptions& options)
    : options_(options),
      connection_(std::move(connection)),
      file_id_(find_file_id(options.connection.path)),
      batch_(options.batch),
      log_keeper_({
          .connection = options.connection,
          .readers = options.readers,
          .copies_beside = options.connection.durable && !options.connection.path.empty() &&
                           !options.is_simulated,
          .are_files_ours = [this] { return are_files_ours(); },
      })
{
    log_keeper_.on_open(*connection_);
}

std::size_t BatchRunner::run(std::span<Work* const> members)
{
    const Clock& clock = *options_.connection.clock;
    const Duration began_at = clock.boottime();
    const std::size_t count = run_together(members);
    end_snapshots();
    log_keeper_.on_batch(began_at, clock.boottime());
    return count;
}

std::size_t BatchRunner::run_together(std::span<Work* const> members)
{
    if (members.size() == 1 && members[0]->is_alone && members[0]->access != Access::read_write) {
        run_read(*members[0]);  // a copy of the database cannot be made inside a transaction
        return 1;
    }
    if (const auto begun = begin(); !begun) {
        for (Work* const work : members) work->result = std::unexpected(begun.error());
        return members.size();
    }
    const Clock& clock = *options_.connection.clock;
    const Duration closes_at = clock.boottime() + limits::batch_closure_time_max;
    const bool is_careful = careful_batches_left_ > 0;
    if (is_careful) --careful_batches_left_;
    std::size_t count = 0;
    for (Work* const work : members) {
        const Fate fate =
            run_member(*work, false, is_careful ? Savepoints::real : Savepoints::imagined);
        ++count;
        if (fate == Fate::unguarded) {
            roll_back();
            batches_rerun_.fetch_add(1, std::memory_order_relaxed);
            careful_batches_left_ = tuning::careful_batches;
            return run_together(members);
        }
        if (fate == Fate::tainted || fate == Fate::lost) {
            roll_back();
            for (Work* const again : members.first(count)) {
                if (again != work || fate == Fate::lost) run_alone(*again);
            }
            return count;
        }
        if (clock.boottime() >= closes_at) break;
    }
    const Commit committed = ride_and_commit();
    if (committed == Commit::done) call_after_commit();
    for (Work* const work : members.first(count)) {
        if (committed == Commit::none) run_alone(*work);
        if (committed == Commit::unknown) work->result = std::unexpected(failure_);
    }
    return count;
}

BatchRunner::Fate BatchRunner::run_member(Work& work, bool is_alone, Savepoints savepoints)
{
    const Access access = work.access == Access::read_write ? Access::read_write : Access::read;
    SqliteTransaction transaction{*connection_, options_.clock->now(), access, savepoints};
    if (work.has_savepoint && !is_alone) {
        if (const auto begun = transaction.begin_unlikely_savepoint(); !begun) return Fate::lost;
    }
    const Start start{.changes = connection_->changes_total(), .depth = transaction.depth()};
    work.exception = nullptr;
    connection_->arm(work.run_limit);
    try {
        const LaneThreadMark mark;
        work.result = work.run(transaction);
    } catch (...) {
        work.exception = std::current_exception();
        const bool is_death = work.is_trusted || !is_standard_exception(work.exception);
        if (options_.is_simulated && is_death) throw;
    }
    const bool is_overdue = connection_->is_overdue();
    if (is_overdue) {
        work.exception = nullptr;
        work.result = std::unexpected(connection_->overdue_error());
    }
    connection_->disarm();
    if (transaction.is_lost() && is_overdue) return Fate::tainted;
    const Fate fate = judge(work, transaction, start);
    if (!transaction.wants_savepoints()) return fate;
    return is_overdue ? Fate::tainted : Fate::unguarded;  // it has had its time
}

BatchRunner::Fate BatchRunner::judge(Work& work, SqliteTransaction& transaction, const Start& start)
{
    if (transaction.is_lost() || !connection_->is_in_transaction()) {
        work.exception = nullptr;
        work.result = std::unexpected(
            transaction.is_spoiled() ? transaction.spoiled_by()
                                     : connection_->to_error(SQLITE_ABORT, {})
        );
        return Fate::lost;
    }
    if (!work.exception && work.result) {
        if (transaction.is_spoiled()) {
            work.result = std::unexpected(transaction.spoiled_by());
        } else if (transaction.depth() != start.depth) {
            work.result = fail(Errc::invalid_argument, "a closure left a savepoint open");
        }
    }
    if (work.exception || !work.result) return undo(transaction, start);
    if (start.depth > 0 && !transaction.release_savepoint()) return Fate::lost;
    has_written_ = has_written_ || transaction.has_written();
    for (auto& then : transaction.take_after_commit()) after_commit_.push_back(std::move(then));
    return Fate::kept;
}

// Rolls back the savepoints that are open: ours, or those a closure of the engine left when it
// failed. What such a closure wrote before its first savepoint can only be undone with the whole
// transaction.
BatchRunner::Fate BatchRunner::undo(SqliteTransaction& transaction, const Start& start)
{
    const bool has_savepoint = transaction.depth() > 0;
    const bool is_untouched =
        start.depth > 0 || (has_savepoint ? transaction.changes_at_savepoint() == start.changes
                                          : connection_->changes_total() == start.changes &&
                                                !transaction.has_written());
    if (!is_untouched) return Fate::tainted;
    while (transaction.depth() > 0) {
        if (!transaction.rollback_savepoint()) return Fate::lost;
    }
    return Fate::undone;
}

BatchRunner::Commit BatchRunner::ride_and_commit()
{
    const std::lock_guard guard{rider_mutex_};
    std::vector<LaneRider*> riding;
    for (LaneRider* const rider : riders_) {
        if (!rider->is_waiting() || !connection_->is_in_transaction()) continue;
        if (ride(*rider)) riding.push_back(rider);
    }
    const Commit committed = connection_->is_in_transaction() ? commit() : Commit::none;
    for (LaneRider* const rider : riding) rider->landed(committed == Commit::done);
    return committed;
}

// Under a savepoint of its own: a note that the database refuses must not cost anybody a second
// run. False: it did not even get on.
bool BatchRunner::ride(LaneRider& rider)
{
    SqliteTransaction transaction{*connection_, options_.clock->now(), Access::read_write};
    if (!transaction.begin_savepoint()) return false;
    const bool gets_on = transaction.begin_savepoint().has_value();
    if (gets_on) {
        // Two levels, so that whatever the ride did wrong is healed by undoing the inner one.
        const auto ridden = rider.ride(transaction);
        const bool is_kept = ridden && transaction.release_savepoint();
        if (!is_kept && !transaction.is_lost()) {
            if (transaction.rollback_savepoint()) rider.refused();
        }
    }
    if (!transaction.is_lost()) static_cast<void>(transaction.release_savepoint());
    return gets_on;
}

void BatchRunner::run_alone(Work& work)
{
    retried_alone_.fetch_add(1, std::memory_order_relaxed);
    work.result = {};
    work.exception = nullptr;
    if (auto begun = begin(); !begun) {
        work.result = std::unexpected(std::move(begun.error()));
        return;
    }
    if (run_member(work, true, Savepoints::real) != Fate::kept) {
        roll_back();
        return;
    }
    if (commit() != Commit::done) {
        work.result = std::unexpected(failure_);
        return;
    }
    call_after_commit();
}

void BatchRunner::call_after_commit() noexcept
{
    for (const auto& then : std::exchange(after_commit_, {})) then();
}

Result<void> BatchRunner::begin()
{
    Result<void> begun = ensure_connection();
    if (begun) begun = begin_immediate();
    if (!begun) {
        // Nothing was run, whatever SQLite calls its reason.
        begun.error().code = Errc::store_unavailable;
        return begun;
    }
    changes_at_begin_ = connection_->changes_total();
    has_written_ = false;
    after_commit_.clear();
    return begun;
}

// After an I/O error a handle is not believed: the kernel reports a failed flush once and then
// forgets.
Result<void> BatchRunner::ensure_connection()
{
    const bool is_file = !options_.connection.path.empty();
    if (connection_ && !(is_file && connection_->needs_reopen())) return {};
    // A log without a name is reached by this handle alone: closing it last, at the end of the
    // process, saves what is in there.
    if (auto there = check_log(); !there) return there;
    close_connection();
    // Asked before SQLite opens it: it would take our log for the other file's own.
    const std::optional<FileId> there = find_file_id(options_.connection.path);
    if (there && there != file_id_) {
        return fail(
            Errc::store_unavailable,
            fmt::format(
                "{} is another file than the one that was opened: put that one back, or restart",
                options_.connection.path
            )
        );
    }
    auto opened = Connection::open(options_.connection);
    if (!opened) return std::unexpected(std::move(opened.error()));
    connection_ = std::move(*opened);
    log_id_.reset();
    has_log_ = false;
    log_keeper_.on_open(*connection_);
    return {};
}

Result<void> BatchRunner::begin_immediate()
{
    Result<void> begun;
    for (std::size_t attempt = 0; attempt < limits::batch_retries_max; ++attempt) {
        if (attempt > 0 && !options_.is_simulated) {
            pause_up_to(tuning::retry_pause_most);
        }
        begun = connection_->execute(begin_sql);
        if (begun || connection_->needs_reopen()) break;
    }
    return begun;
}

// A deleted file takes every write without a word, and a crash loses them. Two system calls per batch.
Result<void> BatchRunner::check_files()
{
    const std::string& path = options_.connection.path;
    if (path.empty()) return {};
    if (connection_->has_moved()) {
        return fail(
            Errc::store_unavailable,
            fmt::format(
                "{} was moved or deleted while it was open: put it back, no restart is needed", path
            )
        );
    }
    const std::optional<FileId> there = find_file_id(path + "-wal");
    if (!log_id_) log_id_ = there;
    if (there && there == log_id_) return {};
    return fail_log_deleted(path);
}

// What the handle committed is in its log until a checkpoint.
Result<void> BatchRunner::check_log() const
{
    const std::string& path = options_.connection.path;
    if (!has_log_ || path.empty()) return {};
    const std::optional<FileId> there = find_file_id(path + "-wal");
    if (there && there == log_id_) return {};
    return fail_log_deleted(path);
}

BatchRunner::Commit BatchRunner::commit()
{
    const bool is_changed = has_written_ || connection_->changes_total() != changes_at_begin_;
    const std::int64_t number = batch_ + 1;
    if (connection_->may_have_misread()) {
        failure_ = misread_error();
        roll_back();
        return Commit::none;
    }
    if (is_changed) {
        auto marked = write_mark(number);
        if (marked) marked = check_files();
        if (!marked) {
            failure_ = std::move(marked.error());
            roll_back();
            if (connection_ && connection_->has_moved()) close_connection();
            return Commit::none;
        }
    }
    strike(FaultPoint::lane_before_commit);
    auto committed = connection_->execute(commit_sql);
    if (committed) {
        if (is_changed) {
            batch_ = number;
            has_log_ = true;
        }
        strike(FaultPoint::lane_after_commit);
        return Commit::done;
    }
    failure_ = std::move(committed.error());
    // The frame that commits is written last. On a full disk it is not in the log, so the batch
    // cannot come back; any other failure may have been one of the flush, or of its report.
    const bool is_full = connection_->is_disk_full();
    Commit settled = settle(number);
    if (settled == Commit::unknown && is_full) {
        batch_ = number + 1;
        settled = Commit::none;
    }
    if (settled == Commit::unknown) {
        // Both numbers may be in the log and come back with it: another batch must not be taken for
        // them.
        batch_ = number + 1;
        failure_.code = Errc::store_unknown;
        failure_.detail = "COMMIT failed and the next one too: " + failure_.detail;
    }
    return settled;
}

// COMMIT of `number` failed. The next commit that succeeds on this file overwrites its frames, or
// finds them recovered. If there is no room for it, emptying the log into the database makes some.
BatchRunner::Commit BatchRunner::settle(std::int64_t number)
{
    const bool is_refused = failure_.code != Errc::store_unavailable;  // a deferred constraint
    roll_back();
    if (is_refused || options_.connection.path.empty()) return Commit::none;
    const Commit settled = try_settle(number);
    if (settled != Commit::unknown || !connection_) return settled;
    if (!log_keeper_.drain(*connection_)) return Commit::unknown;
    return try_settle(number);
}

BatchRunner::Commit BatchRunner::try_settle(std::int64_t number)
{
    if (!ensure_connection() || !begin_immediate()) return Commit::unknown;
    const auto found = connection_->read_integer(batch_sql);
    if (found && *found == number) {
        roll_back();
        batch_ = number;
        return believe_after_checkpoint();
    }
    if (!found || !write_mark(number + 1) || !connection_->execute(commit_sql)) {
        roll_back();
        return Commit::unknown;
    }
    batch_ = number + 1;
    return Commit::none;
}

// The lost batch came back, but perhaps only from the page cache: copying the log into the database
// writes and flushes every page of it again.
BatchRunner::Commit BatchRunner::believe_after_checkpoint()
{
    if (!connection_) return Commit::unknown;
    log_keeper_.distrust();
    return log_keeper_.drain(*connection_) ? Commit::done : Commit::unknown;
}

Result<void> BatchRunner::write_mark(std::int64_t number)
{
    const auto statement = connection_->prepare(mark_sql);
    if (!statement) return std::unexpected(statement.error());
    const StatementUse use{**statement};
    use->bind(1, to_micros(options_.clock->now()));
    use->bind(2, number);
    const int code = use->step();
    if (code != SQLITE_DONE) return std::unexpected(connection_->to_error(code, mark_sql.text()));
    return {};
}

void BatchRunner::roll_back() noexcept
{
    if (!connection_) return;
    // SQLite has done it itself after some errors.
    const bool is_undone =
        !connection_->is_in_transaction() || connection_->execute(rollback_sql).has_value();
    forget_gathered(connection_->handle());
    // A rollback that fails leaves a handle nobody should use; in memory there is no other, and without
    // its log there is no other either.
    const bool is_last = options_.connection.path.empty() || !check_log();
    if (!is_undone && !is_last) close_connection();
}

void BatchRunner::abandon() noexcept
{
    if (connection_) connection_->disarm();
    roll_back();
}

void BatchRunner::run_read(Work& work)
{
    if (auto ready = ensure_connection(); !ready) {
        work.result = std::unexpected(std::move(ready.error()));
        return;
    }
    run_reading(*connection_, work, *options_.clock);
}

void BatchRunner::add_rider(LaneRider& rider)
{
    const std::lock_guard guard{rider_mutex_};
    riders_.push_back(&rider);
}

void BatchRunner::remove_rider(LaneRider& rider)
{
    const std::lock_guard guard{rider_mutex_};
    std::erase(riders_, &rider);
}

bool BatchRunner::has_rider() const
{
    const std::lock_guard guard{rider_mutex_};
    return std::ranges::any_of(riders_, [](const LaneRider* rider) { return rider->is_waiting(); });
}

void BatchRunner::tend_log(bool others_wait)
{
    if (!connection_ || connection_->needs_reopen()) return;
    if (log_keeper_.tend(*connection_, others_wait)) lengthen_log();
    log_keeper_.on_tended(options_.connection.clock->boottime());
}

// Under the lock of a writer: another program that writes beside us may not append meanwhile.
void BatchRunner::lengthen_log()
{
    if (!connection_->is_log_short() || !connection_->execute(begin_sql)) return;
    connection_->lengthen_log();
    roll_back();
}

bool BatchRunner::has_log_to_tend() const
{
    if (!connection_ || connection_->needs_reopen()) return false;
    return connection_->is_log_short() || log_keeper_.has_work(*connection_);
}

void BatchRunner::close_connection() noexcept
{
    if (connection_) log_keeper_.on_close(*connection_);
    connection_.reset();
}

// What stands under the names of our files, as far as we know them.
bool BatchRunner::are_files_ours() const
{
    const std::string& path = options_.connection.path;
    return file_id_ && find_file_id(path) == file_id_ && log_id_ &&
           find_file_id(path + "-wal") == log_id_;
}

bool run_reading(Connection& connection, Work& work, const StoreClock& clock)
{
    const LaneThreadMark mark;
    work.result = {};
    const bool shares = work.is_brief && connection.is_reader();
    if (!shares && connection.is_reader()) connection.end_reading();
    if (shares || work.access == Access::read) {
        if (auto begun = connection.begin_reading(); !begun) {
            work.result = std::unexpected(std::move(begun.error()));
            return false;
        }
    }
    SqliteTransaction transaction{connection, clock.now(), work.access};
    connection.arm(tuning::read_limit);
    try {
        work.result = work.run(transaction);
    } catch (...) {
        work.exception = std::current_exception();
    }
    connection.disarm();
    if (!work.exception && work.result && transaction.is_spoiled()) {
        work.result = std::unexpected(transaction.spoiled_by());
    }
    if (!work.exception && work.result && connection.may_have_misread())
        work.result = std::unexpected(misread_error());
    const bool is_read = !work.exception && work.result;
    const bool keeps_snapshot = shares && is_read;
    if (!keeps_snapshot) connection.end_reading();
    if (!is_read) return false;
    for (const auto& then : transaction.take_after_commit()) then();
    return keeps_snapshot;
}

}  // namespace umavez
