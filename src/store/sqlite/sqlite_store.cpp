#include "store/sqlite/sqlite_store.hpp"

#include "base/limits.hpp"
#include "database/sqlite/sqlite_database.hpp"
#include "store/sqlite/audit_statements.hpp"
#include "store/sqlite/notes.hpp"
#include "store/sqlite/record_queries.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/store_works.hpp"

#include <algorithm>
#include <functional>

namespace umavez {
namespace {

Result<Replaced> heartbeat_member(SqliteTransaction& transaction, Heartbeat& heartbeat)
{
    return heartbeat_record(transaction, heartbeat);
}

using InsertWork = BatchWork<Insertion, Found, insert_or_get_record>;
using ReplaceWork = BatchWork<Replacement, Replaced, replace_record>;
using HeartbeatWork = BatchWork<Heartbeat, Replaced, heartbeat_member>;

// The owner has done its work and a key waits to be settled: such writes overtake new claims.
bool is_completion(const Replacement& replacement)
{
    return replacement.next.status != Status::processing;
}

std::unexpected<Error> fail_too_many()
{
    return fail(Errc::limit_exceeded, "a batch has more members than limits::batch_members_max");
}

class SqliteStore final : public TransactionalStore {
public:
    explicit SqliteStore(SqliteDatabase& database) : database_(database), notes_(database.clock())
    {
        traits_.reads_aside = database.reads_aside();
        traits_.one_writer = true;
        database_.lane().add_rider(notes_);
    }
    // Notes that still wait get a batch to ride on, unless nobody runs batches by himself.
    ~SqliteStore() override
    {
        if (database_.lane().is_in_child()) return;
        if (database_.has_threads() && notes_.is_waiting()) {
            static_cast<void>(database_.transact([](Transaction&) { return Result<void>{}; }));
        }
        database_.lane().remove_rider(notes_);
    }

    const StoreTraits& traits() const noexcept override { return traits_; }
    Database& database() noexcept override { return database_; }
    StoreLosses losses() const noexcept override { return {.notes = notes_.dropped()}; }

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        if (batch.size() > limits::batch_members_max) co_return fail_too_many();
        InsertWork work{batch};
        Result<void> done = co_await database_.on_lane(work);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(work.answers);
    }

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        if (batch.size() > limits::batch_members_max) co_return fail_too_many();
        ReplaceWork work{batch};
        work.is_urgent = std::ranges::all_of(batch, is_completion);
        Result<void> done = co_await database_.on_lane(work);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(work.answers);
    }

    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override
    {
        if (batch.size() > limits::batch_members_max) co_return fail_too_many();
        HeartbeatWork work{batch};
        work.is_urgent = true;
        Result<void> done = co_await database_.on_lane(work);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(work.answers);
    }

    Async<Sighting> find(RecordId id) override
    {
        auto work = make_work<Sighting>([this, &id](SqliteTransaction& transaction) {
            Result<Sighting> sighting = sight(transaction, id);
            // Taken after the read: what was read was true before.
            if (sighting) sighting->now = database_.clock().now();
            return sighting;
        });
        work.access = Access::read_once;
        work.is_brief = true;
        Result<void> done = co_await database_.on_reader(work);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(work.answer);
    }

    Async<Swept> sweep(std::size_t count_max, Duration audit_retention) override
    {
        auto work = make_work<Swept>([=, this](SqliteTransaction& transaction) {
            return sweep_records(transaction, {count_max, audit_retention, others_wait()});
        });
        Result<void> done = co_await database_.on_lane(work);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(work.answer);
    }

    Async<Due> due(DueQuery query) override
    {
        const auto ask = [query = std::move(query)](SqliteTransaction& transaction) {
            return query_due(transaction, query);
        };
        return read<Due>(ask, Access::read);
    }

    Async<RecordsPage> scan(RecordsQuery query) override
    {
        return read<RecordsPage>([query = std::move(query)](SqliteTransaction& transaction) {
            return query_scan(transaction, query);
        });
    }

    Async<StoriesPage> stories(StoriesQuery query) override
    {
        return read<StoriesPage>([query = std::move(query)](SqliteTransaction& transaction) {
            return query_stories(transaction, query);
        });
    }

    Async<StoreCounts> count() override { return read<StoreCounts>(query_count); }

    void note(RecordId id, AuditNote audit) noexcept override
    {
        if (notes_.add(std::move(id), std::move(audit))) database_.lane().expect_rider();
    }

    Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) override
    {
        const auto ask = [id = std::move(id), count_max](SqliteTransaction& transaction) {
            return read_timeline(transaction, id, count_max);
        };
        return read<std::vector<AuditEntry>>(ask);
    }

    Result<Found> insert_or_get(Transaction& transaction, Insertion insertion) override
    {
        SqliteTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return insert_or_get_record(*own, insertion);
    }

    Result<Replaced> replace(Transaction& transaction, Replacement replacement) override
    {
        SqliteTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return replace_record(*own, replacement);
    }

    Result<Record> insert(Transaction& transaction, Insertion insertion) override
    {
        SqliteTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return insert_record(*own, insertion);
    }

    Result<Sighting> find(Transaction& transaction, const RecordId& id) override
    {
        SqliteTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return sight(*own, id);
    }

    std::optional<StateMark> state_of(Transaction& transaction) override
    {
        SqliteTransaction* const own = database_.own(transaction);
        return own == nullptr ? std::nullopt : own->connection().snapshot();
    }

    Result<void> append_audit(
        Transaction& transaction, const RecordId& id, const FencingToken& token, AuditNote note
    ) override
    {
        SqliteTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return insert_audit(*own, {id}, transaction.now(), token, note);
    }

    Result<Swept> sweep(Transaction& transaction, std::size_t count_max, Duration audit_retention)
        override
    {
        SqliteTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return sweep_records(*own, {count_max, audit_retention, others_wait()});
    }

    Task<Result<void>> async_run(Closure closure, RunLimits limits) override
    {
        ClosureWork work{closure};
        work.run_limit = limits.run;
        work.is_trusted = true;
        Result<void> done = co_await database_.on_lane(work);
        co_return done;
    }

    Task<Result<void>> async_look(Closure closure) override
    {
        ClosureWork work{closure};
        work.access = Access::read;
        work.is_brief = true;
        Result<void> done = co_await database_.on_reader(work);
        co_return done;
    }

private:
    std::function<bool()> others_wait() const
    {
        return [this] { return database_.lane().others_wait(); };
    }

    // What people and workers ask, on a reader. `ask` belongs to the task.
    template <typename Answer, typename Ask>
    Async<Answer> read(Ask ask, Access access = Access::read_once)
    {
        auto work = make_work<Answer>(std::move(ask));
        work.access = access;
        Result<void> done = co_await database_.on_reader(work);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(work.answer);
    }

    std::unexpected<Error> fail_foreign() const
    {
        return fail(
            Errc::invalid_argument,
            "the transaction belongs to another database than the engine's (" + database_.url() +
                "): what is written in it would not commit with the record"
        );
    }

    static Result<Sighting> sight(SqliteTransaction& transaction, const RecordId& id)
    {
        auto record = find_record(transaction, id);
        if (!record) return std::unexpected(std::move(record.error()));
        return Sighting{.record = std::move(*record), .now = transaction.now()};
    }

    SqliteDatabase& database_;
    Notes notes_;
    StoreTraits traits_{.name = "sqlite", .durable = true, .transactional = true, .cache = false};
};

}  // namespace

Result<std::unique_ptr<TransactionalStore>> open_sqlite_store(Database& database)
{
    auto* const sqlite = dynamic_cast<SqliteDatabase*>(&database);
    if (sqlite == nullptr) {
        return fail(
            Errc::misconfigured, "the SQLite store needs a database opened with sqlite:PATH"
        );
    }
    if (auto migrated = sqlite->migrate(sqlite_store_migrations()); !migrated) {
        return std::unexpected(std::move(migrated.error()));
    }
    return std::make_unique<SqliteStore>(*sqlite);
}

}  // namespace umavez
