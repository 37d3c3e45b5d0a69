#include "work/worker.hpp"

#include "support/postgres_server.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>

namespace umavez::work {
namespace {

using namespace std::chrono_literals;

constexpr WorkTable table{.name = "chores", .operation = "chores.run"};
constexpr auto patience = 60s;  // a test that waits longer has failed

// A table of chores, and an effect of each in another table of the same transaction.
class WorkerTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *open_database(place_->url(), {.durable = false});
        const Migration tables{
            .module = "chores",
            .version = 1,
            .sql =
                "CREATE TABLE chores (id BIGINT PRIMARY KEY, state TEXT NOT NULL, run BIGINT NOT "
                "NULL,"
                " attempts BIGINT NOT NULL, takes BIGINT NOT NULL, due_at BIGINT NOT NULL, "
                "last_error TEXT,"
                " changed_at BIGINT NOT NULL);"
                "CREATE TABLE effects (chore BIGINT NOT NULL);",
        };
        ASSERT_TRUE(database->migrate(std::array{tables}));
    }
    void TearDown() override
    {
        engine.reset();
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    void open(const RunPolicy& policy = {})
    {
        engine = *open_engine(*database, {.worker_period = std::nullopt});
        const auto declared = engine->declare(operation_of(table, policy));
        ASSERT_TRUE(declared) << declared.error().detail;
        const auto started = engine->start();
        ASSERT_TRUE(started) << started.error().detail;
    }
    void add(int count)
    {
        sql("INSERT INTO chores SELECT n, 'pending', 0, 0, 0, 0, NULL, 0 FROM (WITH RECURSIVE c(n) "
            "AS "
            "(SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < " +
            std::to_string(count) + ") SELECT n FROM c) AS numbers");
    }
    void sql(const std::string& statement)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(statement);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    std::int64_t ask(const std::string& query)
    {
        std::int64_t number = -1;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query(query);
            if (!rows) return std::unexpected(rows.error());
            number = rows->front().integer(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return number;
    }
    bool becomes(const std::string& query, std::int64_t wanted)
    {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < deadline) {
            if (ask(query) == wanted) return true;
            std::this_thread::yield();
        }
        return false;
    }

    // As a worker asks for it.
    static Request request_of(const RecordId& id)
    {
        return {
            .tenant_id = id.tenant_id,
            .operation = id.operation,
            .key = id.key,
            .target = make_target({table.operation}),
            .fingerprint = {},
        };
    }

    Result<void> do_chore(Lease& lease, const Item& item, const Ended& ended = {.state = "done"})
    {
        return database->transact([&](Transaction& transaction) -> Result<void> {
            const auto done = transaction.execute("INSERT INTO effects VALUES ($1)", {item.id});
            if (!done) return std::unexpected(done.error());
            return end_run(transaction, table, item, lease, ended);
        });
    }

    // One transaction for all of them. `wrong` is an item that cannot be done beside others.
    Result<std::vector<Item>> do_chores(std::span<Claimed> claimed, std::int64_t wrong = 0)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            std::vector<EndedRun> runs;
            for (Claimed& one : claimed) {
                const auto made =
                    transaction.execute("INSERT INTO effects VALUES ($1)", {one.item.id});
                if (!made) return std::unexpected(made.error());
                if (one.item.id == wrong) return fail(Errc::invalid_argument, "no luck");
                runs.push_back({one.item, &one.lease, {.state = "done"}});
            }
            return end_runs(transaction, table, runs);
        });
        if (!done) return std::unexpected(done.error());
        return std::vector<Item>{};
    }

    std::unique_ptr<Database> database;
    std::unique_ptr<Engine> engine;

private:
    std::unique_ptr<test::TestDatabase> place_;
    std::string folder_;
};

TEST_F(WorkerTest, EveryItemIsDoneOnceByManyThreadsOfTwoWorkers)
{
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    open();
    add(300);
    Worker one{*engine, *database, table, chore, {.threads = 4}};
    Worker two{*engine, *database, table, chore, {.threads = 4}};
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'done' AND run = 1", 300));
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 300);
    EXPECT_EQ(ask("SELECT count(DISTINCT chore) FROM effects"), 300);
}

TEST_F(WorkerTest, AFailureIsTriedAgainAndThenDead)
{
    const RetryRule rule{.first = 1ms, .longest = 1ms, .attempts_max = 3};
    std::atomic<int> runs = 0;
    const RunItem fails = [&](Lease& lease, const Item& item) {
        const int before = runs++;
        return database->transact([&](Transaction& transaction) {
            const Ended ended = after_failure(rule, before, "no luck", 0.5);
            return end_run(transaction, table, item, lease, ended);
        });
    };
    open();
    add(1);
    Worker worker{*engine, *database, table, fails, {.threads = 2, .period = 2ms}};
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'dead'", 1));
    EXPECT_EQ(runs, 3);
    EXPECT_EQ(ask("SELECT run FROM chores"), 3);
    EXPECT_EQ(ask("SELECT attempts FROM chores"), 3);
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE last_error = 'no luck'"), 1);
}

TEST_F(WorkerTest, DrivenAgainItRunsAlthoughItWasDone)
{
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    open();
    add(1);
    Worker worker{*engine, *database, table, chore, {.threads = 1, .period = 2ms}};
    ASSERT_TRUE(becomes("SELECT run FROM chores WHERE state = 'done' UNION ALL SELECT 0 LIMIT 1", 1)
    );
    const auto driven = database->transact([&](Transaction& transaction) -> Result<void> {
        const auto again = drive_again(transaction, table, 1);
        if (!again) return std::unexpected(again.error());
        EXPECT_TRUE(*again);
        return {};
    });
    ASSERT_TRUE(driven);
    worker.wake();
    EXPECT_TRUE(becomes("SELECT count(*) FROM effects", 2));
}

TEST_F(WorkerTest, AnErrorOfTheRunLeavesTheItemDue)
{
    std::atomic<int> runs = 0;
    const RunItem chore = [&](Lease& lease, const Item& item) -> Result<void> {
        if (runs++ == 0) return fail(Errc::store_unavailable, "the store is away");
        return do_chore(lease, item);
    };
    open();
    add(1);
    Worker worker{*engine, *database, table, chore, {.threads = 1, .period = 1ms, .hidden = 2ms}};
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'done'", 1));
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 1);
    EXPECT_EQ(ask("SELECT attempts FROM chores"), 0);
    EXPECT_EQ(worker.take_trouble(), "the store is away");
}

// The owner sleeps beyond its lease; somebody else does the work; the sleeper changes nothing.
TEST_F(WorkerTest, AnOwnerThatComesLateChangesNothing)
{
    std::latch taken{1};
    std::promise<void> wakes;
    std::future<void> woken = wakes.get_future();
    std::atomic<int> runs = 0;
    std::promise<Result<void>> late;
    const RunItem chore = [&](Lease& lease, const Item& item) -> Result<void> {
        if (runs++ > 0) return do_chore(lease, item);
        taken.count_down();
        woken.wait();
        auto done = do_chore(lease, item);
        late.set_value(done);
        return done;
    };
    // A heartbeat would keep the lease alive: the run limit ends it, as a stopped process would.
    const RunPolicy policy{.lease = 50ms};
    engine = *open_engine(*database, {.worker_period = std::nullopt});
    OperationSpec spec = operation_of(table, policy);
    spec.policy.run_limit = policy.lease;
    ASSERT_TRUE(engine->declare(spec));
    ASSERT_TRUE(engine->start());
    add(1);
    Worker worker{*engine, *database, table, chore, {.threads = 2, .period = 5ms, .hidden = 10ms}};
    taken.wait();
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'done'", 1));
    wakes.set_value();
    const Result<void> outcome = late.get_future().get();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Errc::lease_lost);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 1);
    EXPECT_EQ(ask("SELECT run FROM chores"), 1);
}

TEST_F(WorkerTest, WhatWasAbandonedIsTakenOverAfterItsLease)
{
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    open({.lease = 200ms});
    add(1);
    RecordId id = record_id_of(table, {.id = 1, .run = 0});
    {
        auto begun = engine->begin(
            {.tenant_id = id.tenant_id,
             .operation = id.operation,
             .key = id.key,
             .target = make_target({table.operation}),
             .fingerprint = {}}
        );
        ASSERT_TRUE(begun);
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }  // dropped: its owner died
    Worker worker{*engine, *database, table, chore, {.threads = 1, .period = 2ms, .hidden = 5ms}};
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'done'", 1));
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 1);
}

// One of them may have killed its owner; the others must not be there when it does so again.
TEST_F(WorkerTest, WhatWasTakenBeforeIsRunOneAtATime)
{
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    const RunItem chore = [&](Lease& lease, const Item& item) {
        most = std::max(most.load(), ++running);
        auto done = do_chore(lease, item);
        --running;
        return done;
    };
    open();
    add(20);
    sql("UPDATE chores SET takes = 3");
    Worker worker{*engine, *database, table, chore, {.threads = 4, .period = 1ms}};
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'done'", 20));
    EXPECT_EQ(most, 1);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 20);
    EXPECT_EQ(ask("SELECT max(takes) FROM chores"), 0);
}

TEST_F(WorkerTest, ItemsMayShareATransaction)
{
    std::atomic<int> alone = 0;
    std::atomic<int> batches = 0;
    std::atomic<std::size_t> most = 0;
    const RunItem chore = [&](Lease& lease, const Item& item) {
        ++alone;
        return do_chore(lease, item);
    };
    const RunItems chores = [&](std::span<Claimed> claimed) {
        ++batches;
        most = std::max(most.load(), claimed.size());
        return do_chores(claimed);
    };
    open();
    add(300);
    const WorkerOptions options{.threads = 2, .run_together = chores, .together_max = 8};
    Worker one{*engine, *database, table, chore, options};
    Worker two{*engine, *database, table, chore, options};
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'done' AND run = 1", 300));
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 300);
    EXPECT_EQ(ask("SELECT count(DISTINCT chore) FROM effects"), 300);
    EXPECT_EQ(most, 8);
    EXPECT_LT(batches + alone, 150);
}

TEST_F(WorkerTest, WhatGoesWrongBesideOthersIsRunAlone)
{
    const RunItem chore = [&](Lease& lease, const Item& item) {
        return do_chore(lease, item, {.state = item.id == 13 ? "dead" : "done"});
    };
    const RunItems chores = [&](std::span<Claimed> claimed) { return do_chores(claimed, 13); };
    open();
    add(200);
    Worker worker{
        *engine, *database, table, chore, {.threads = 2, .run_together = chores, .together_max = 8}
    };
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'pending'", 0));
    EXPECT_EQ(ask("SELECT id FROM chores WHERE state = 'dead'"), 13);
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE state = 'done' AND run = 1"), 199);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 200);
    EXPECT_EQ(ask("SELECT count(DISTINCT chore) FROM effects"), 200);
}

TEST_F(WorkerTest, WhatIsLeftOfABatchIsRunAlone)
{
    const RunItem chore = [&](Lease& lease, const Item& item) {
        return do_chore(lease, item, {.state = "alone"});
    };
    const RunItems chores = [&](std::span<Claimed> claimed) -> Result<std::vector<Item>> {
        const std::vector<Item> left{claimed.back().item};
        const auto done = do_chores(claimed.first(claimed.size() - 1));
        if (!done) return done;
        return left;
    };
    open();
    add(64);
    Worker worker{
        *engine, *database, table, chore, {.threads = 1, .run_together = chores, .together_max = 8}
    };
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'pending'", 0));
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE state = 'alone'"), 8);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 64);
}

TEST_F(WorkerTest, WhatWasTakenBeforeIsNotRunBesideOthers)
{
    std::atomic<int> batches = 0;
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    const RunItems chores = [&](std::span<Claimed> claimed) {
        ++batches;
        return do_chores(claimed);
    };
    open();
    add(20);
    sql("UPDATE chores SET takes = 1");
    Worker worker{
        *engine,
        *database,
        table,
        chore,
        {.threads = 1, .period = 1ms, .run_together = chores, .together_max = 8}
    };
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'done'", 20));
    EXPECT_EQ(batches, 0);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 20);
}

// One of two was run by somebody else meanwhile: neither is ended in this transaction.
TEST_F(WorkerTest, ALeaseThatIsLostUndoesTheWholeBatch)
{
    OperationSpec spec = operation_of(table, {.lease = 1s});
    spec.policy.run_limit = 1s;  // instead of a process that is stopped: its heartbeats end
    engine = *open_engine(*database, {.worker_period = std::nullopt});
    ASSERT_TRUE(engine->declare(spec));
    ASSERT_TRUE(engine->start());
    add(2);
    const auto begin = [&](const Item& item) {
        RecordId id = record_id_of(table, item);
        return engine->begin(
            {.tenant_id = id.tenant_id,
             .operation = id.operation,
             .key = id.key,
             .target = make_target({table.operation}),
             .fingerprint = {}}
        );
    };
    std::vector<Claimed> batch;
    for (const Item& item : {Item{1, 0}, Item{2, 0}}) {
        auto begun = begin(item);
        ASSERT_TRUE(begun && std::holds_alternative<Lease>(*begun));
        batch.push_back({item, std::get<Lease>(std::move(*begun))});
    }
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (bool is_taken_over = false; !is_taken_over;) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        auto again = begin({2, 0});
        ASSERT_TRUE(again) << again.error().detail;
        is_taken_over = std::holds_alternative<Lease>(*again);
    }

    const auto done = do_chores(batch);

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::lease_lost);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 0);
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE state = 'pending' AND run = 0"), 2);
}

TEST_F(WorkerTest, WhatWasOnlyTakenIsGivenBackWhenItStops)
{
    std::latch begun{1};
    std::latch ended{1};
    std::atomic<bool> is_first = true;
    const RunItem chore = [&](Lease& lease, const Item& item) {
        if (is_first.exchange(false)) begun.count_down();
        ended.wait();
        return do_chore(lease, item);
    };
    open();
    add(60);
    Worker worker{*engine, *database, table, chore, {.threads = 1}};
    begun.wait();
    // Whoever comes second finds it stopping and returns at once; only then the first chore may end.
    std::once_flag let_go;
    const auto stop = [&] {
        worker.stop();
        std::call_once(let_go, [&] { ended.count_down(); });
    };
    std::jthread stopping{stop};
    stop();
    stopping.join();
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 1);
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE state = 'pending' AND takes = 0"), 59);
}

TEST_F(WorkerTest, ARunThatWasResolvedByHandEndsItsRow)
{
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    open();
    add(2);
    for (const auto& [id, as] : {std::pair{1, Resolution::succeeded}, {2, Resolution::failed}}) {
        const RecordId record = record_id_of(table, {.id = id, .run = 0});
        {
            const auto begun = engine->begin(request_of(record));
            ASSERT_TRUE(begun && std::holds_alternative<Lease>(*begun));
        }
        // As if its process had died, and its lease were over.
        sql("UPDATE umavez_records SET processing_expires_at = 1 WHERE status = 'processing'");
        const auto resolved = engine->resolve(record, as, std::nullopt, "looked");
        ASSERT_TRUE(resolved) << resolved.error().detail;
    }

    std::promise<Item> dead;
    const WorkerOptions options{
        .threads = 1,
        .period = 2ms,
        .on_dead = [&](const Item& buried, const std::string&) { dead.set_value(buried); },
    };
    Worker worker{*engine, *database, table, chore, options};

    EXPECT_TRUE(
        becomes("SELECT count(*) FROM chores WHERE id = 1 AND state = 'done' AND run = 1", 1)
    );
    EXPECT_TRUE(
        becomes("SELECT count(*) FROM chores WHERE id = 2 AND state = 'dead' AND run = 1", 1)
    );
    EXPECT_EQ(dead.get_future().get(), (Item{.id = 2, .run = 0}));
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 0);
}

TEST_F(WorkerTest, WhatKilledItsOwnersTooOftenIsDead)
{
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    engine = *open_engine(*database, {.worker_period = std::nullopt});
    OperationSpec spec = operation_of(table, {.lease = 10ms});
    spec.policy.takeovers_max = 2;
    ASSERT_TRUE(engine->declare(spec));
    ASSERT_TRUE(engine->start());
    add(1);
    const Item item{.id = 1, .run = 0};
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (bool is_held = false; !is_held;) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        const auto begun = engine->begin(request_of(record_id_of(table, item)));
        ASSERT_TRUE(begun);
        const auto* const outcome = std::get_if<Outcome>(&*begun);
        is_held = outcome != nullptr && std::holds_alternative<InDoubt>(*outcome);
    }
    std::promise<Item> dead;
    const WorkerOptions options{
        .threads = 1,
        .period = 2ms,
        .on_dead = [&](const Item& buried, const std::string&) { dead.set_value(buried); },
    };
    Worker worker{*engine, *database, table, chore, options};
    EXPECT_TRUE(becomes("SELECT count(*) FROM chores WHERE state = 'dead'", 1));
    EXPECT_EQ(dead.get_future().get(), item);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 0);
}

}  // namespace
}  // namespace umavez::work
