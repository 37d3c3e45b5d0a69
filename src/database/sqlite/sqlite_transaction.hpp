#pragma once

// SqliteTransaction: the part of a lane's or reader's transaction that one closure sees.
//
// Many closures share one transaction of the lane, each with an object of this class. A failed
// statement spoils it, down to the savepoint it ran in; an error that ended the whole transaction
// (disk full, I/O error) makes it lost: nothing more runs here, or it would run outside any
// transaction.
//
// Confined to the thread of the connection.

#include "database/sqlite/connection.hpp"

#include <umavez/transaction.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace umavez {

enum class Access : std::uint8_t {
    read_write,
    read,       // inside a transaction
    read_once,  // a single statement, which is its own transaction
};

// A savepoint makes SQLite copy every page that is written under it, for a rollback that hardly ever
// comes. An imagined one is only a mark: if something was written since, it cannot be rolled back,
// the transaction is lost, and wants_savepoints() tells that it should be run again with real ones.
// Those of nested() are real always: a handler that asks for one will use it.
enum class Savepoints : std::uint8_t { real, imagined };

class SqliteTransaction final : public Transaction {
public:
    static constexpr std::size_t depth_max = 8;  // beyond this somebody recurses without end

    SqliteTransaction(
        Connection& connection,
        Instant now,
        Access access,
        Savepoints savepoints = Savepoints::real
    ) noexcept
        : connection_(connection), now_(now), access_(access), savepoints_(savepoints)
    {
    }

    Dialect dialect() const noexcept override { return Dialect::sqlite; }
    Instant now() const override { return now_; }

    Result<Rows> query(std::string_view sql, const Values& parameters) override;
    Result<std::int64_t> execute(std::string_view sql, const Values& parameters) override;
    Result<std::optional<std::int64_t>> insert(std::string_view sql, const Values& parameters)
        override;
    bool is_spoiled() const noexcept override { return spoiled_.has_value(); }

    Result<void> begin_savepoint() override { return begin(Savepoints::real); }
    Result<void> begin_unlikely_savepoint() override { return begin(savepoints_); }
    Result<void> release_savepoint() override;
    Result<void> rollback_savepoint() override;
    void after_commit(std::function<void()> then) override { after_.push_back(std::move(then)); }

    // What is to be called when the transaction of the connection is committed.
    std::vector<std::function<void()>> take_after_commit() noexcept { return std::move(after_); }

    // For our own statements: refused when spoiled, and a failed step spoils. True: there is a row.
    Result<StatementUse> use(const StaticSql& sql);
    Result<StatementUse> use(
        std::string_view sql, const Values& parameters
    );  // which outlive the use
    Result<bool> step(Statement& statement);

    std::unexpected<Error> spoil(Error error) override;

    Result<void> run_script(std::string_view sql);

    Connection& connection() noexcept { return connection_; }
    bool is_lost() const noexcept { return is_lost_; }
    bool wants_savepoints() const noexcept { return wants_savepoints_; }
    // A statement that may change rows or the schema was run, even if it changed nothing.
    bool has_written() const noexcept { return has_written_; }
    int depth() const noexcept { return depth_; }
    // What the connection had changed when the outermost open savepoint began.
    std::int64_t changes_at_savepoint() const noexcept { return changes_at_savepoint_; }
    const Error& spoiled_by() const { return *spoiled_; }

private:
    struct Savepoint {
        Savepoints kind = Savepoints::real;
        std::int64_t writes_before = 0;
        std::size_t after_before = 0;  // calls that were asked for outside it
    };

    std::unexpected<Error> fail_here(Error error);  // spoils down to the savepoint that is open
    std::unexpected<Error> spoil_from(int depth, Error error);
    Result<void> begin(Savepoints kind);
    Result<void> forget_savepoint();
    Savepoint& innermost() noexcept { return open_[static_cast<std::size_t>(depth_ - 1)]; }
    std::int64_t writes() const noexcept;  // grows with whatever a rollback would undo
    Result<void> check_usable() const;

    Connection& connection_;
    const Instant now_;
    const Access access_;
    const Savepoints savepoints_;
    std::array<Savepoint, depth_max> open_{};  // the first depth_ of them
    std::int64_t uncounted_writes_ = 0;                    // of the schema, say
    int depth_ = 0;
    int spoiled_depth_ = 0;
    std::int64_t changes_at_savepoint_ = -1;
    bool is_lost_ = false;
    bool wants_savepoints_ = false;
    bool has_written_ = false;
    std::optional<Error> spoiled_;
    std::vector<std::function<void()>> after_;
};

}  // namespace umavez
