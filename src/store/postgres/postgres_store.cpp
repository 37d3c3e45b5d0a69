#include "store/postgres/postgres_store.hpp"

#include "base/limits.hpp"
#include "database/postgres/postgres_database.hpp"
#include "store/postgres/audit_statements.hpp"
#include "store/postgres/lanes.hpp"
#include "store/postgres/record_queries.hpp"
#include "store/postgres/record_statements.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/write_calls.hpp"

#include <algorithm>

namespace umavez::pg {
namespace {

// A sweep deletes thousands of rows.
constexpr auto sweep_limit = std::chrono::seconds{30};

bool is_completion(const Replacement& replacement)
{
    return replacement.next.status != Status::processing;
}

// A look at one record, on a reader's connection.
class FindJob final : public Job {
public:
    FindJob(PostgresDatabase& database, const RecordId& id) : database_(database), id_(id) {}
    void run() noexcept override
    {
        // A connection that lay idle may be gone; the next one tells.
        constexpr int tries_max = 2;
        for (int tries = 0; tries < tries_max; ++tries) {
            auto loan = database_.pool().acquire(Purpose::read, asked_at_);
            if (!loan) {
                answer = std::unexpected(loan.error());
                return;
            }
            const StoreClock* const clock = database_.clock();
            answer = find_record(
                **loan,
                id_,
                clock == nullptr ? std::nullopt : std::optional{to_micros(clock->now())}
            );
            if (answer || !(*loan)->is_lost()) return;
        }
    }

    Result<Sighting> answer;

private:
    PostgresDatabase& database_;
    const RecordId& id_;
    const Duration asked_at_ = system_clock().boottime();
};

Notes::Time time_of(const PostgresDatabase& database)
{
    const StoreClock* const clock = database.clock();
    if (clock == nullptr) {
        return {
            [] { return system_clock().boottime(); }, [] { return std::optional<std::int64_t>{}; }
        };
    }
    return {
        [clock] { return clock->now().time_since_epoch(); },
        [clock] { return std::optional{to_micros(clock->now())}; }
    };
}

class PostgresStore final : public TransactionalStore {
public:
    explicit PostgresStore(PostgresDatabase& database)
        : database_(database),
          notes_(time_of(database)),
          lanes_(std::make_unique<Lanes>(database, notes_))
    {
    }
    ~PostgresStore() override
    {
        // Its threads are the parent's.
        if (database_.is_in_child()) static_cast<void>(lanes_.release());
    }

    const StoreTraits& traits() const noexcept override { return traits_; }
    Database& database() noexcept override { return database_; }
    StoreLosses losses() const noexcept override { return {.notes = notes_.dropped()}; }

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        InsertCall call{Call::Kind::insertion, batch};
        for (const Insertion& one : batch) {
            if (call.result) call.result = check(one.draft, one.audit);
        }
        Result<void> done = co_await lanes_->run(call);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(call.answers);
    }

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        const bool is_urgent = std::ranges::all_of(batch, is_completion);
        ReplaceCall call{is_urgent ? Call::Kind::completion : Call::Kind::takeover, batch};
        for (const Replacement& one : batch) {
            if (call.result) call.result = check(one.next, one.audit);
        }
        Result<void> done = co_await lanes_->run(call);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(call.answers);
    }

    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override
    {
        HeartbeatCall call{Call::Kind::heartbeat, batch};
        Result<void> done = co_await lanes_->run(call);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(call.answers);
    }

    Async<Sighting> find(RecordId id) override
    {
        if (auto allowed = database_.check_caller(); !allowed) {
            co_return std::unexpected(allowed.error());
        }
        FindJob job{database_, id};
        co_await database_.readers().run(job);
        co_return std::move(job.answer);
    }

    Async<Swept> sweep(std::size_t count_max, Duration audit_retention) override
    {
        Swept swept;
        Closure closure = [&](Transaction& transaction) -> Result<void> {
            auto done = sweep(transaction, count_max, audit_retention);
            if (!done) return std::unexpected(done.error());
            swept = *std::move(done);
            return {};
        };
        RunOptions options;
        options.run_limit = sweep_limit;
        Result<void> done = co_await database_.async_run(std::move(closure), options);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(swept);
    }

    Async<Due> due(DueQuery query) override
    {
        auto read = [&](PostgresTransaction& transaction) { return query_due(transaction, query); };
        co_return co_await read_with<Due>(read);
    }

    Async<RecordsPage> scan(RecordsQuery query) override
    {
        auto read = [&](PostgresTransaction& transaction) {
            return query_scan(transaction, query);
        };
        co_return co_await read_with<RecordsPage>(read);
    }

    Async<StoriesPage> stories(StoriesQuery query) override
    {
        auto read = [&](PostgresTransaction& transaction) {
            return query_stories(transaction, query);
        };
        co_return co_await read_with<StoriesPage>(read);
    }

    Async<StoreCounts> count() override
    {
        auto read = [](PostgresTransaction& transaction) { return query_count(transaction); };
        co_return co_await read_with<StoreCounts>(read);
    }

    void note(RecordId id, AuditNote audit) noexcept override
    {
        if (notes_.add(std::move(id), std::move(audit))) lanes_->expect_notes();
    }

    Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) override
    {
        auto read = [&](PostgresTransaction& transaction) {
            return read_timeline(transaction, id, count_max);
        };
        co_return co_await read_with<std::vector<AuditEntry>>(read);
    }

    Result<Found> insert_or_get(Transaction& transaction, Insertion insertion) override
    {
        PostgresTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return insert_or_get_record(*own, insertion);
    }

    Result<Replaced> replace(Transaction& transaction, Replacement replacement) override
    {
        PostgresTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return replace_record(*own, replacement);
    }

    Result<std::vector<Replaced>> replace_all(
        Transaction& transaction, std::vector<Replacement> replacements
    ) override
    {
        PostgresTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        if (replacements.size() > 1) return replace_records(*own, replacements);
        return TransactionalStore::replace_all(transaction, std::move(replacements));
    }

    Result<Record> insert(Transaction& transaction, Insertion insertion) override
    {
        PostgresTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return insert_record(*own, insertion);
    }

    Result<Sighting> find(Transaction& transaction, const RecordId& id) override
    {
        PostgresTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return find_record(*own, id);
    }

    Result<void> append_audit(
        Transaction& transaction, const RecordId& id, const FencingToken& token, AuditNote note
    ) override
    {
        PostgresTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return insert_audit(*own, id, std::nullopt, token, note);
    }

    Result<Swept> sweep(Transaction& transaction, std::size_t count_max, Duration audit_retention)
        override
    {
        PostgresTransaction* const own = database_.own(transaction);
        if (own == nullptr) return fail_foreign();
        return sweep_records(*own, count_max, audit_retention);
    }

    Task<Result<void>> async_run(Closure closure, RunLimits limits) override
    {
        RunOptions options{
            .access = Access::read_write,
            .savepoints = Savepoints::imagined,
            .run_limit = limits.run,
            .lock_timeout = limits.lock,
            .finds_itself = limits.finds_itself,
            .lock_probe = &records_lock_probe(),
        };
        Result<void> done = co_await database_.async_run(std::move(closure), options);
        co_return done;
    }

private:
    // One member's fault must not cost its neighbours the batch.
    static Result<void> check(const Draft& draft, const std::optional<AuditNote>& audit)
    {
        if (audit && audit->detail.size() > limits::audit_detail_bytes_max) {
            return fail(
                Errc::limit_exceeded, "an audit detail is longer than audit_detail_bytes_max"
            );
        }
        return check_draft(draft);
    }

    template <typename Answer, typename Read>
    Async<Answer> read_with(Read& read)
    {
        Answer answer{};
        Closure closure = [&](Transaction& transaction) -> Result<void> {
            auto done = read(static_cast<PostgresTransaction&>(transaction));
            if (!done) return std::unexpected(done.error());
            answer = *std::move(done);
            return {};
        };
        Result<void> done = co_await database_.async_read(std::move(closure));
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(answer);
    }

    std::unexpected<Error> fail_foreign() const
    {
        return fail(
            Errc::invalid_argument,
            "the transaction belongs to another database than the engine's (" + database_.url() +
                "): what is written in it would not commit with the record"
        );
    }

    PostgresDatabase& database_;
    Notes notes_;
    std::unique_ptr<Lanes> lanes_;
    const StoreTraits traits_{
        .name = "postgres",
        .durable = true,
        .transactional = true,
        .cache = false,
        .reads_aside = true,
        .one_writer = false,
    };
};

}  // namespace
}  // namespace umavez::pg

namespace umavez {

Result<std::unique_ptr<TransactionalStore>> open_postgres_store(Database& database)
{
    auto* const postgres = dynamic_cast<pg::PostgresDatabase*>(&database);
    if (postgres == nullptr) {
        return fail(
            Errc::misconfigured, "the PostgreSQL store needs a database opened with postgres://…"
        );
    }
    if (auto migrated = postgres->migrate(postgres_store_migrations()); !migrated) {
        return std::unexpected(std::move(migrated.error()));
    }
    return std::make_unique<pg::PostgresStore>(*postgres);
}

}  // namespace umavez
