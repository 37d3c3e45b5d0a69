#include "database/sqlite/sqlite_transaction.hpp"

#include "base/assert.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace umavez {
namespace {

// Savepoints are named by depth.
constexpr std::size_t depth_max = SqliteTransaction::depth_max;

const std::array<StaticSql, depth_max> savepoint_sql = {
    StaticSql{"SAVEPOINT s1"},
    StaticSql{"SAVEPOINT s2"},
    StaticSql{"SAVEPOINT s3"},
    StaticSql{"SAVEPOINT s4"},
    StaticSql{"SAVEPOINT s5"},
    StaticSql{"SAVEPOINT s6"},
    StaticSql{"SAVEPOINT s7"},
    StaticSql{"SAVEPOINT s8"},
};
const std::array<StaticSql, depth_max> release_sql = {
    StaticSql{"RELEASE s1"},
    StaticSql{"RELEASE s2"},
    StaticSql{"RELEASE s3"},
    StaticSql{"RELEASE s4"},
    StaticSql{"RELEASE s5"},
    StaticSql{"RELEASE s6"},
    StaticSql{"RELEASE s7"},
    StaticSql{"RELEASE s8"},
};
const std::array<StaticSql, depth_max> rollback_sql = {
    StaticSql{"ROLLBACK TO s1"},
    StaticSql{"ROLLBACK TO s2"},
    StaticSql{"ROLLBACK TO s3"},
    StaticSql{"ROLLBACK TO s4"},
    StaticSql{"ROLLBACK TO s5"},
    StaticSql{"ROLLBACK TO s6"},
    StaticSql{"ROLLBACK TO s7"},
    StaticSql{"ROLLBACK TO s8"},
};

const StaticSql& at_depth(const std::array<StaticSql, depth_max>& statements, int depth)
{
    return statements[static_cast<std::size_t>(depth - 1)];
}

}  // namespace

Result<Rows> SqliteTransaction::query(std::string_view sql, const Values& parameters)
{
    const auto statement = use(sql, parameters);
    if (!statement) return std::unexpected(statement.error());
    Rows rows;
    while (true) {
        const auto has_row = step(**statement);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) return rows;
        rows.push_back((*statement)->row());
    }
}

Result<std::int64_t> SqliteTransaction::execute(std::string_view sql, const Values& parameters)
{
    const auto statement = use(sql, parameters);
    if (!statement) return std::unexpected(statement.error());
    const std::int64_t before = connection_.changes_total();
    while (true) {
        const auto has_row = step(**statement);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) break;
    }
    // SQLite's count is that of the last statement that changed rows, which need not be this one.
    return connection_.changes_total() == before ? 0 : connection_.changes_last();
}

// RETURNING would build a table in memory for the one number.
Result<std::optional<std::int64_t>> SqliteTransaction::insert(
    std::string_view sql, const Values& parameters
)
{
    connection_.forget_last_row();
    const auto changed = execute(sql, parameters);
    if (!changed) return std::unexpected(changed.error());
    if (*changed == 0) return std::nullopt;
    if (const std::int64_t id = connection_.last_row(); id != 0) return id;
    return fail_here(
        {Errc::invalid_argument,
         "insert() is for a row that is new, in a table with an integer id: " + std::string{sql},
         std::source_location::current()}
    );
}

Result<void> SqliteTransaction::begin(Savepoints kind)
{
    if (auto usable = check_usable(); !usable) return usable;
    if (static_cast<std::size_t>(depth_) == depth_max) {
        return fail_here(
            {Errc::invalid_argument,
             fmt::format("savepoints are nested deeper than {}", depth_max),
             std::source_location::current()}
        );
    }
    if (kind == Savepoints::real) {
        const StaticSql& sql = at_depth(savepoint_sql, depth_ + 1);
        if (auto begun = connection_.execute(sql); !begun)
            return fail_here(std::move(begun.error()));
    }
    if (depth_ == 0) changes_at_savepoint_ = has_written_ ? -1 : connection_.changes_total();
    ++depth_;
    innermost() = {kind, writes(), after_.size()};
    return {};
}

Result<void> SqliteTransaction::release_savepoint()
{
    UMAVEZ_ASSERT(depth_ > 0);
    if (auto usable = check_usable(); !usable) return usable;
    if (innermost().kind == Savepoints::real) {
        const StaticSql& sql = at_depth(release_sql, depth_);
        if (auto released = connection_.execute(sql); !released) {
            return fail_here(std::move(released.error()));
        }
    }
    --depth_;
    return {};
}

Result<void> SqliteTransaction::rollback_savepoint()
{
    UMAVEZ_ASSERT(depth_ > 0);
    if (is_lost_) return std::unexpected(*spoiled_);
    if (innermost().kind == Savepoints::imagined) {
        if (auto forgotten = forget_savepoint(); !forgotten) return forgotten;
    } else {
        const Connection::Grace grace{connection_};  // an overdue closure must still be able to undo
        for (const auto* const sql :
             {&at_depth(rollback_sql, depth_), &at_depth(release_sql, depth_)}) {
            if (auto undone = connection_.execute(*sql); !undone)
                return fail_here(std::move(undone.error()));
        }
    }
    after_.resize(std::min(after_.size(), innermost().after_before));
    --depth_;
    if (spoiled_ && spoiled_depth_ > depth_) spoiled_.reset();
    return {};
}

// Nothing was written since: then there is nothing to undo.
Result<void> SqliteTransaction::forget_savepoint()
{
    if (innermost().writes_before == writes()) return {};
    wants_savepoints_ = is_lost_ = true;
    return spoil(
        {Errc::store_unavailable,
         "what must be undone was written without a savepoint; it is run again with one",
         std::source_location::current()}
    );
}

std::int64_t SqliteTransaction::writes() const noexcept
{
    return connection_.changes_total() + uncounted_writes_;
}

Result<StatementUse> SqliteTransaction::use(const StaticSql& sql)
{
    if (auto usable = check_usable(); !usable) return std::unexpected(usable.error());
    auto statement = connection_.prepare(sql);
    if (!statement) return fail_here(std::move(statement.error()));
    return StatementUse{**statement};
}

Result<bool> SqliteTransaction::step(Statement& statement)
{
    const int code = statement.step();
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    if (code == SQLITE_INTERRUPT && connection_.is_overdue()) {
        return fail_here(connection_.overdue_error());
    }
    return fail_here(connection_.to_error(code, statement.sql()));
}

std::unexpected<Error> SqliteTransaction::spoil(Error error)
{
    return spoil_from(0, std::move(error));
}

std::unexpected<Error> SqliteTransaction::fail_here(Error error)
{
    return spoil_from(depth_, std::move(error));
}

std::unexpected<Error> SqliteTransaction::spoil_from(int depth, Error error)
{
    if (access_ != Access::read_once && !connection_.is_in_transaction()) is_lost_ = true;
    if (!spoiled_ || depth < spoiled_depth_) {
        spoiled_ = error;
        spoiled_depth_ = depth;
    }
    return std::unexpected(std::move(error));
}

Result<void> SqliteTransaction::run_script(std::string_view sql)
{
    if (auto usable = check_usable(); !usable) return usable;
    has_written_ = true;
    ++uncounted_writes_;
    if (auto ran = connection_.run_script(sql); !ran) return fail_here(std::move(ran.error()));
    return {};
}

Result<void> SqliteTransaction::check_usable() const
{
    if (!spoiled_) return {};
    return fail(
        spoiled_->code,
        fmt::format("refused, because an earlier statement failed: {}", spoiled_->detail)
    );
}

Result<StatementUse> SqliteTransaction::use(std::string_view sql, const Values& parameters)
{
    if (auto usable = check_usable(); !usable) return std::unexpected(usable.error());
    if (connection_.is_overdue()) return fail_here(connection_.overdue_error());
    auto statement = connection_.prepare(sql);
    if (!statement) return fail_here(std::move(statement.error()));
    StatementUse use{**statement};
    if (auto bound = use->bind_all(parameters); !bound) return fail_here(std::move(bound.error()));
    if (use->is_read_only()) return use;
    if (access_ != Access::read_write) {
        return fail_here(
            {Errc::sql,
             fmt::format("a read-only transaction cannot run: {}", sql),
             std::source_location::current()}
        );
    }
    has_written_ = true;
    if (!use->counts_its_changes()) ++uncounted_writes_;
    return use;
}

}  // namespace umavez
