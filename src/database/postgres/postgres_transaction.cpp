#include "database/postgres/postgres_transaction.hpp"

#include "base/assert.hpp"
#include "database/postgres/statement_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::pg {
namespace {

const StaticSql begin_sql{"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"};
const StaticSql begin_read_sql{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
const StaticSql commit_sql{"COMMIT"};
const StaticSql rollback_sql{"ROLLBACK"};
const StaticSql lock_timeout_sql{"SELECT set_config('lock_timeout', $1, true)"};
// What a session would have been told when it was opened; and a limit for statements, as the server does not
// see that we are gone. A COMMIT that waits for its standby is not subject to it.
const StaticSql pooled_sql{
    "SELECT set_config('lock_timeout', $1, true), "
    "set_config('idle_in_transaction_session_timeout', $2, true), "
    "set_config('statement_timeout', $3, true)"
};
const StaticSql scans_off_sql{"SET LOCAL enable_seqscan = off"};
const StaticSql scans_on_sql{"SET LOCAL enable_seqscan TO DEFAULT"};
const StaticSql lane_plans_sql{
    "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', "
    "true), "
    "set_config('plan_cache_mode', 'force_generic_plan', true)"
};
const std::array own_plans_sql = {
    StaticSql{"SET LOCAL enable_hashjoin TO DEFAULT"},
    StaticSql{"SET LOCAL enable_mergejoin TO DEFAULT"},
    StaticSql{"SET LOCAL plan_cache_mode TO DEFAULT"},
};
const StaticSql clock_sql{"SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8"};

// Savepoints are named by depth.
using PerDepth = std::array<StaticSql, tuning::savepoints_max>;
const PerDepth savepoint_sql = {
    StaticSql{"SAVEPOINT s1"},
    StaticSql{"SAVEPOINT s2"},
    StaticSql{"SAVEPOINT s3"},
    StaticSql{"SAVEPOINT s4"},
    StaticSql{"SAVEPOINT s5"},
    StaticSql{"SAVEPOINT s6"},
    StaticSql{"SAVEPOINT s7"},
    StaticSql{"SAVEPOINT s8"},
};
const PerDepth release_sql = {
    StaticSql{"RELEASE SAVEPOINT s1"},
    StaticSql{"RELEASE SAVEPOINT s2"},
    StaticSql{"RELEASE SAVEPOINT s3"},
    StaticSql{"RELEASE SAVEPOINT s4"},
    StaticSql{"RELEASE SAVEPOINT s5"},
    StaticSql{"RELEASE SAVEPOINT s6"},
    StaticSql{"RELEASE SAVEPOINT s7"},
    StaticSql{"RELEASE SAVEPOINT s8"},
};
const PerDepth rollback_to_sql = {
    StaticSql{"ROLLBACK TO SAVEPOINT s1"},
    StaticSql{"ROLLBACK TO SAVEPOINT s2"},
    StaticSql{"ROLLBACK TO SAVEPOINT s3"},
    StaticSql{"ROLLBACK TO SAVEPOINT s4"},
    StaticSql{"ROLLBACK TO SAVEPOINT s5"},
    StaticSql{"ROLLBACK TO SAVEPOINT s6"},
    StaticSql{"ROLLBACK TO SAVEPOINT s7"},
    StaticSql{"ROLLBACK TO SAVEPOINT s8"},
};

const StaticSql& at_depth(const PerDepth& statements, int depth)
{
    return statements[static_cast<std::size_t>(depth - 1)];
}

std::string to_millis(Duration duration)
{
    // 0 would mean "for ever".
    const auto millis = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
    return std::to_string(std::max<std::int64_t>(millis, 1));
}

}  // namespace

PostgresTransaction::PostgresTransaction(Connection& connection, const TransactionOptions& options)
    : connection_(connection),
      options_(options),
      deadline_(system_clock().boottime() + options.run_limit),
      grace_(options.lock_timeout)
{
    if (options_.clock != nullptr) now_ = options_.clock->now();
}

Duration PostgresTransaction::time_left() const
{
    return deadline_ - system_clock().boottime();
}

Instant PostgresTransaction::now() const
{
    if (now_) return *now_;
    // Asking changes nothing that anybody sees.
    auto& self = const_cast<PostgresTransaction&>(*this);
    Parameters none;
    const auto answer = self.run(clock_sql, none);
    // A transaction that could not ask is spoiled: whatever is made of this time is not kept.
    self.now_ = answer ? from_micros(answer->integer(0, 0)) : system_clock().realtime();
    return *now_;
}

void PostgresTransaction::send_begin()
{
    if (has_begun_) return;
    has_begun_ = true;
    connection_.enqueue(options_.access == Access::read ? begin_read_sql : begin_sql);
    const std::string lock = to_millis(options_.lock_timeout);
    if (connection_.is_pooled()) {
        const std::string idle = to_millis(tuning::idle_in_transaction_timeout);
        Parameters settings;
        settings.add_typed_text(lock);
        settings.add_typed_text(idle);
        const std::string run = to_millis(options_.run_limit + options_.lock_timeout);
        settings.add_typed_text(run);
        connection_.enqueue(pooled_sql, settings);
    } else if (options_.lock_timeout != tuning::lock_timeout) {
        Parameters settings;
        settings.add_typed_text(lock);
        connection_.enqueue(lock_timeout_sql, settings);
    }
}

// What ended comes first: until a failed part is rolled back the server hears nothing else.
void PostgresTransaction::send_ended()
{
    for (const StaticSql* const sql : lazy_) connection_.enqueue(*sql);
    lazy_.clear();
}

// A pooler has no prepared statements, and so no old plans.
void PostgresTransaction::allow_scans(bool allowed)
{
    if (allows_scans_ == allowed || connection_.is_pooled()) return;
    connection_.enqueue(allowed ? scans_on_sql : scans_off_sql);
    allows_scans_ = allowed;
}

void PostgresTransaction::send_savepoints()
{
    for (int depth = 1; depth <= depth_; ++depth) {
        Savepoint& savepoint = open_[static_cast<std::size_t>(depth - 1)];
        if (savepoint.kind == Savepoints::imagined || savepoint.is_sent) continue;
        connection_.enqueue(at_depth(savepoint_sql, depth));
        savepoint.is_sent = true;
        savepoint.allowed_scans = allows_scans_;
    }
}

// The answer to the statement that was queued last; those before it are ours and must succeed.
Result<Answer> PostgresTransaction::exchange(bool is_write, Whose whose)
{
    if (is_write) ++writes_;
    const Duration sent_at = system_clock().boottime();
    const Duration grace = whose == Whose::ours ? grace_ : Duration{0};
    auto answers = connection_.round_trip(std::max(time_left() + grace, Duration{0}));
    const Duration waited = std::min(grace, system_clock().boottime() - sent_at);
    grace_ -= waited;
    deadline_ += waited;
    if (!answers) {
        const bool is_overdue = time_left() <= Duration{0};
        if (!is_overdue) return lose(std::move(answers.error()), true);
        return lose(
            {Errc::store_unavailable,
             "the closure took longer than its limit and was interrupted; nothing was kept",
             std::source_location::current()},
            false
        );
    }
    const std::deque<Change> changes = std::exchange(changes_, {});  // answers refer to their texts
    const bool is_as_said = std::ranges::all_of(changes, [&](const Change& one) {
        const Answer& answer = answers->at(one.place);
        return !answer.is_ok() || answer.changed() == one.rows;
    });
    if (!is_as_said) {
        wants_savepoints_ = true;
        return lose(
            {Errc::store_unavailable,
             "a row changed inside the transaction; try again",
             std::source_location::current()},
            true
        );
    }
    for (Answer& answer : *answers) {
        if (!answer.is_ok() && !answer.is_skipped()) {
            return refuse(answer, &answer == &answers->back());
        }
    }
    return std::move(answers->back());
}

std::unexpected<Error> PostgresTransaction::refuse(const Answer& answer, bool is_last)
{
    has_failed_ = true;
    Error error = answer.error();
    if (options_.access == Access::read && answer.sqlstate() == "25006") {
        error.code = Errc::sql;
        return fail_here(std::move(error));
    }
    switch (answer.remedy()) {
        case Remedy::run_again: return lose(std::move(error), true);
        case Remedy::wait_more: was_blocked_ = true; return lose(std::move(error), false);
        case Remedy::reconnect: connection_.abandon(); return lose(std::move(error), true);
        case Remedy::none: break;
    }
    if (!is_last) {
        // Deferred in the hope that it would do. A run with care gets the error where it belongs.
        wants_savepoints_ = options_.savepoints == Savepoints::imagined;
        return lose(std::move(error), wants_savepoints_);
    }
    return fail_here(std::move(error));
}

std::unexpected<Error> PostgresTransaction::lose(Error error, bool may_run_again)
{
    is_lost_ = true;
    may_run_again_ = may_run_again;
    return spoil_from(0, std::move(error));
}

std::unexpected<Error> PostgresTransaction::spoil_from(int depth, Error error)
{
    if (!spoiled_ || depth < spoiled_depth_) {
        spoiled_ = error;
        spoiled_depth_ = depth;
    }
    return std::unexpected(std::move(error));
}

Result<void> PostgresTransaction::check_usable()
{
    if (spoiled_) {
        return fail(
            spoiled_->code,
            fmt::format("refused, because an earlier statement failed: {}", spoiled_->detail)
        );
    }
    if (time_left() > Duration{0}) return {};
    return lose(
        {Errc::store_unavailable,
         "the closure took longer than its limit and was interrupted; nothing was kept",
         std::source_location::current()},
        false
    );
}

Result<Answer> PostgresTransaction::ask(
    std::string_view sql, const Values& parameters, bool is_write
)
{
    if (auto queued = queue(sql, parameters); !queued) return std::unexpected(queued.error());
    return exchange(is_write, Whose::closure);
}

// `sql` outlives its answer.
Result<void> PostgresTransaction::queue(std::string_view sql, const Values& parameters)
{
    if (auto usable = check_usable(); !usable) return usable;
    if (is_ours_alone(sql)) {
        return fail_here(
            {Errc::sql,
             fmt::format("transactions and sessions belong to umavez: use nested(), not: {}", sql),
             std::source_location::current()}
        );
    }
    Parameters values;
    if (!values.add_all(parameters)) {
        return fail_here(
            {Errc::sql,
             "a text with a NUL byte: PostgreSQL cannot hold one",
             std::source_location::current()}
        );
    }
    send_begin();
    send_ended();
    allow_scans(true);
    send_savepoints();
    connection_.enqueue(sql, values);
    return {};
}

// Where a loss leads to a run with care, and no nested() part is open whose errors must stay its own.
bool PostgresTransaction::may_defer_changes() const noexcept
{
    if (options_.savepoints != Savepoints::imagined) return false;
    for (int depth = 0; depth < depth_; ++depth) {
        if (open_[static_cast<std::size_t>(depth)].kind == Savepoints::real) return false;
    }
    return true;
}

Result<void> PostgresTransaction::change(
    std::string_view sql, const Values& parameters, std::int64_t rows
)
{
    if (!may_defer_changes()) return change_now(*this, sql, parameters, rows);
    Change& change = changes_.emplace_back(std::string{sql}, rows);
    if (auto queued = queue(change.sql, parameters); !queued) {
        changes_.pop_back();
        return queued;
    }
    ++writes_;
    change.place = std::max<std::size_t>(connection_.queued(), 1) - 1;
    return {};
}

// Nobody can tell by its text what a SELECT writes: it may call a function. So whatever a closure asks for
// counts as a write, which costs a second run where the closure then refuses.
Result<Rows> PostgresTransaction::query(std::string_view sql, const Values& parameters)
{
    const auto answer = ask(sql, parameters, true);
    if (!answer) return std::unexpected(answer.error());
    Rows rows;
    rows.reserve(answer->rows());
    for (std::size_t row = 0; row < answer->rows(); ++row) rows.push_back(answer->row(row));
    return rows;
}

Result<std::int64_t> PostgresTransaction::execute(std::string_view sql, const Values& parameters)
{
    const auto answer = ask(sql, parameters, true);
    if (!answer) return std::unexpected(answer.error());
    return answer->changed();
}

Result<std::optional<std::int64_t>> PostgresTransaction::insert(
    std::string_view sql, const Values& parameters
)
{
    const auto statement = returning_id(sql);
    if (!statement) return fail_here(statement.error());
    const auto answer = ask(*statement, parameters, true);
    if (!answer) return std::unexpected(answer.error());
    if (answer->rows() == 0) return std::nullopt;
    const Row row = answer->row(0);
    if (answer->rows() == 1 && std::holds_alternative<std::int64_t>(row.value(0))) {
        return row.integer(0);
    }
    return fail_here(
        {Errc::invalid_argument,
         "insert() is for one row, in a table with an integer id: " + std::string{sql},
         std::source_location::current()}
    );
}

Result<Answer> PostgresTransaction::run(const StaticSql& sql, Parameters& parameters)
{
    if (auto usable = check_usable(); !usable) return std::unexpected(usable.error());
    send_begin();
    send_ended();
    // A claim has nothing to look for.
    if (!sql.text().starts_with("INSERT INTO umavez_records")) allow_scans(false);
    send_savepoints();
    connection_.enqueue(sql, parameters);
    return exchange(!only_reads(sql.text()), Whose::ours);
}

Result<Answer> PostgresTransaction::run_as_lane(const StaticSql& sql, Parameters& parameters)
{
    if (auto usable = check_usable(); !usable) return std::unexpected(usable.error());
    send_begin();
    send_ended();
    allow_scans(false);
    send_savepoints();
    const bool has_plans = !connection_.is_pooled();
    if (has_plans) connection_.enqueue(lane_plans_sql);
    connection_.enqueue(sql, parameters);
    auto answer = exchange(true, Whose::ours);
    if (answer && has_plans) {
        for (const StaticSql& setting : own_plans_sql) connection_.enqueue(setting);
    }
    return answer;
}

Result<void> PostgresTransaction::defer(const StaticSql& sql, Parameters& parameters)
{
    if (auto usable = check_usable(); !usable) return usable;
    send_begin();
    send_ended();
    if (!sql.text().starts_with("INSERT INTO umavez_records")) allow_scans(false);
    send_savepoints();
    connection_.enqueue(sql, parameters);
    ++writes_;
    return {};
}

Result<void> PostgresTransaction::run_script(const std::string& sql)
{
    // Whatever was queued goes first.
    Parameters none;
    if (auto begun = run(clock_sql, none); !begun) return std::unexpected(begun.error());
    ++writes_;
    if (auto ran = connection_.run_script(sql); !ran) {
        has_failed_ = true;
        return fail_here(ran.error());
    }
    return {};
}

Result<void> PostgresTransaction::begin(Savepoints kind)
{
    if (auto usable = check_usable(); !usable) return usable;
    if (depth_ == tuning::savepoints_max) {
        return fail_here(
            {Errc::invalid_argument,
             fmt::format("savepoints are nested deeper than {}", tuning::savepoints_max),
             std::source_location::current()}
        );
    }
    open_[static_cast<std::size_t>(depth_)] = {kind, false, true, writes_};
    ++depth_;
    return {};
}

Result<void> PostgresTransaction::release_savepoint()
{
    UMAVEZ_ASSERT(depth_ > 0);
    if (auto usable = check_usable(); !usable) return usable;
    const Savepoint& savepoint = open_[static_cast<std::size_t>(depth_ - 1)];
    if (savepoint.is_sent) lazy_.push_back(&at_depth(release_sql, depth_));
    --depth_;
    if (own_record_) own_record_->depth = std::min(own_record_->depth, depth_);
    for (AfterCommit& one : after_commit_) one.depth = std::min(one.depth, depth_);
    return {};
}

Result<void> PostgresTransaction::rollback_savepoint()
{
    UMAVEZ_ASSERT(depth_ > 0);
    if (is_lost_) return std::unexpected(*spoiled_);
    const Savepoint& savepoint = open_[static_cast<std::size_t>(depth_ - 1)];
    if (savepoint.kind == Savepoints::imagined) {
        if (has_failed_ || savepoint.writes_before != writes_) {
            wants_savepoints_ = true;
            return lose(
                {Errc::store_unavailable,
                 "what must be undone was written without a savepoint; it is run again with one",
                 std::source_location::current()},
                true
            );
        }
    } else if (savepoint.is_sent) {
        allows_scans_ = savepoint.allowed_scans;  // settings go back too
        lazy_.push_back(&at_depth(rollback_to_sql, depth_));
        lazy_.push_back(&at_depth(release_sql, depth_));
        has_failed_ = false;
    }
    --depth_;
    if (own_record_ && own_record_->depth > depth_) own_record_.reset();
    std::erase_if(after_commit_, [this](const AfterCommit& one) { return one.depth > depth_; });
    if (spoiled_ && spoiled_depth_ > depth_) spoiled_.reset();
    return {};
}

PostgresTransaction::End PostgresTransaction::commit()
{
    if (is_lost_ || is_spoiled()) return {Committed::no, spoiled_};
    if (!has_begun_) {
        call_after_commit();
        return {Committed::yes, std::nullopt};
    }
    // COMMIT releases whatever was only released.
    const bool undoes = std::ranges::any_of(lazy_, [](const StaticSql* sql) {
        return sql->text().starts_with("ROLLBACK");
    });
    if (undoes) send_ended();
    // What was changed is known before it is committed.
    if (!changes_.empty() && !exchange(false, Whose::closure)) {
        roll_back();
        return {Committed::no, spoiled_};
    }
    connection_.enqueue(commit_sql);
    connection_.keep_if_overdue();
    auto answers = connection_.round_trip(options_.run_limit);
    if (!answers) {
        return {
            Committed::unknown,
            Error{
                Errc::store_unknown,
                "COMMIT got no answer: " + answers.error().detail,
                std::source_location::current()
            }
        };
    }
    for (const Answer& answer : *answers) {
        if (answer.is_ok() || answer.is_skipped()) continue;
        const bool is_commit = &answer == &answers->back();
        const auto refused = refuse(answer, is_commit);
        if (is_commit && answer.remedy() == Remedy::reconnect) {
            Error error = refused.error();
            error.code = Errc::store_unknown;
            return {Committed::unknown, std::move(error)};
        }
        roll_back();
        return {Committed::no, refused.error()};
    }
    if (answers->back().command() != "COMMIT") {
        const auto refused = lose(
            {Errc::store_unavailable,
             "the server rolled the transaction back",
             std::source_location::current()},
            true
        );
        return {Committed::no, refused.error()};
    }
    if (!connection_.take_doubt()) {
        call_after_commit();
        return {Committed::yes, std::nullopt};
    }
    return {
        Committed::unknown,
        Error{
            Errc::store_unknown,
            "the commit may not have reached its synchronous standby",
            std::source_location::current()
        }
    };
}

void PostgresTransaction::call_after_commit()
{
    for (const AfterCommit& one : std::exchange(after_commit_, {})) one.then();
}

void PostgresTransaction::roll_back()
{
    if (!has_begun_ || connection_.is_lost()) return;
    connection_.enqueue(rollback_sql);
    connection_.send_off();
}

}  // namespace umavez::pg
