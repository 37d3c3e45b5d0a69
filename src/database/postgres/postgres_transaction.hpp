#pragma once

// PostgresTransaction: one transaction on one connection, lent to a closure.
//
// Nothing is sent before it must be: BEGIN and savepoints travel with the first statement that
// needs an answer, deferred writes with the next statement or with COMMIT. A first run (with imagined
// savepoints) leaves to chance what hardly ever fails, the rows of a change() above all: if it fails after
// all, the closure is run again with care. So an atomic run with
// one insert is three round trips: claim, insert, completion.
//
// A failed statement spoils it, down to the savepoint it ran in. A broken connection, a deadline or
// a lost race makes it lost: nothing more runs here, and the closure may be run again in another
// one.
//
// Confined to the thread of the closure.

#include "base/store_clock.hpp"
#include "database/change.hpp"
#include "database/postgres/connection.hpp"
#include "database/postgres/tuning.hpp"

#include <umavez/record.hpp>
#include <umavez/transaction.hpp>

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace umavez::pg {

enum class Access : std::uint8_t { read_write, read };

// Imagined savepoints are marks only: a real one costs the server a transaction number of its own.
// If something was written since, or failed, the transaction is lost and wants_savepoints() tells
// that it should be run again with real ones. Those of nested() are real always.
enum class Savepoints : std::uint8_t { real, imagined };

struct TransactionOptions {
    std::uint64_t database = 0;         // whose: every open database has a number
    const StoreClock* clock = nullptr;  // of a test, instead of the server's
    Access access = Access::read_write;
    Savepoints savepoints = Savepoints::real;
    Duration run_limit = tuning::run_limit;  // and again as long for COMMIT
    // Waiting for a key is not running: this much of it does not count.
    Duration lock_timeout = tuning::lock_timeout;
};

// A record that this transaction wrote, whose row it therefore holds.
struct OwnRecord {
    RecordId id;
    std::int64_t row = 0;
    Record record;
    int depth = 0;
};

enum class Committed : std::uint8_t { yes, no, unknown };

class PostgresTransaction final : public Transaction, public DefersChanges {
public:
    PostgresTransaction(Connection& connection, const TransactionOptions& options);

    Dialect dialect() const noexcept override { return Dialect::postgres; }
    Instant now() const override;
    Result<Rows> query(std::string_view sql, const Values& parameters) override;
    Result<std::int64_t> execute(std::string_view sql, const Values& parameters) override;
    Result<void> change(std::string_view sql, const Values& parameters, std::int64_t rows) override;
    Result<std::optional<std::int64_t>> insert(std::string_view sql, const Values& parameters)
        override;
    bool is_spoiled() const noexcept override { return spoiled_.has_value(); }
    std::unexpected<Error> spoil(Error error) override { return spoil_from(0, std::move(error)); }

    Result<void> begin_savepoint() override { return begin(Savepoints::real); }
    Result<void> begin_unlikely_savepoint() override { return begin(options_.savepoints); }
    Result<void> release_savepoint() override;
    Result<void> rollback_savepoint() override;
    void after_commit(std::function<void()> then) override
    {
        after_commit_.push_back({depth_, std::move(then)});
    }

    // For our own statements, which find rows by their keys. A prepared statement keeps its plan:
    // one made while a table was small would scan it as it grows, so scans are off until the
    // closure's next one.
    Result<Answer> run(const StaticSql& sql, Parameters& parameters);
    // One that is written for a lane (store/postgres/lanes.hpp): planned as there, once and for rows found by
    // their keys.
    Result<Answer> run_as_lane(const StaticSql& sql, Parameters& parameters);
    // A write whose answer nobody waits for; sent with whatever is sent next, COMMIT at the latest.
    // It must fail if it cannot do what it should.
    Result<void> defer(const StaticSql& sql, Parameters& parameters);
    Result<void> run_script(const std::string& sql);

    // Time as the server told it, after it had the locks of the statement that asked.
    void set_now(Instant now)
    {
        if (!now_) now_ = now;
    }
    bool knows_now() const noexcept { return now_.has_value(); }

    std::optional<OwnRecord>& own_record() noexcept { return own_record_; }
    void remember(RecordId id, std::int64_t row, Record record)
    {
        own_record_ = OwnRecord{std::move(id), row, std::move(record), depth_};
    }

    // The end, of the owner. An error tells why nothing was committed.
    struct End {
        Committed committed = Committed::no;
        std::optional<Error> error;
    };
    End commit();
    void roll_back();

    std::uint64_t database() const noexcept { return options_.database; }
    bool is_lost() const noexcept { return is_lost_; }
    bool may_run_again() const noexcept { return may_run_again_; }
    bool wants_savepoints() const noexcept { return wants_savepoints_; }
    // A key's holder did not end in time.
    bool was_blocked() const noexcept { return was_blocked_; }
    int depth() const noexcept { return depth_; }
    const Error& spoiled_by() const { return *spoiled_; }

private:
    struct Savepoint {
        Savepoints kind = Savepoints::real;
        bool is_sent = false;
        bool allowed_scans = true;  // when it was sent
        std::int64_t writes_before = 0;
    };

    Result<void> begin(Savepoints kind);
    Result<void> check_usable();
    void send_begin();
    void send_ended();
    void allow_scans(bool allowed);
    void send_savepoints();
    enum class Whose : std::uint8_t { closure, ours };
    Result<Answer> exchange(bool is_write, Whose whose);
    Result<Answer> ask(std::string_view sql, const Values& parameters, bool is_write);
    Result<void> queue(std::string_view sql, const Values& parameters);
    bool may_defer_changes() const noexcept;
    void call_after_commit();
    std::unexpected<Error> refuse(const Answer& answer, bool is_last);
    std::unexpected<Error> lose(Error error, bool may_run_again);
    std::unexpected<Error> fail_here(Error error) { return spoil_from(depth_, std::move(error)); }
    std::unexpected<Error> spoil_from(int depth, Error error);
    Duration time_left() const;

    Connection& connection_;
    const TransactionOptions options_;
    Duration deadline_;
    Duration grace_;  // what is left of the time for locks
    mutable std::optional<Instant> now_;
    std::array<Savepoint, tuning::savepoints_max> open_{};
    std::vector<const StaticSql*> lazy_;  // of savepoints that ended
    // What was queued and must have changed so many rows.
    struct Change {
        std::string sql;
        std::int64_t rows = 0;
        std::size_t place = 0;  // among the answers of the next trip
    };
    std::deque<Change> changes_;
    std::int64_t writes_ = 0;
    int depth_ = 0;
    int spoiled_depth_ = 0;
    bool has_begun_ = false;
    bool allows_scans_ = true;
    bool has_failed_ =
        false;  // the server refuses everything until a real savepoint is rolled back
    bool is_lost_ = false;
    bool may_run_again_ = false;
    bool wants_savepoints_ = false;
    bool was_blocked_ = false;
    std::optional<Error> spoiled_;
    std::optional<OwnRecord> own_record_;
    struct AfterCommit {
        int depth = 0;
        std::function<void()> then;
    };
    std::vector<AfterCommit> after_commit_;
};

}  // namespace umavez::pg
