#include "work/worker.hpp"

#include "support/patiently.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

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

// A table of chores, and an effect of each in another table of the same transaction.
class WorkerTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *test::patiently("the database is open", [&] {
            return open_database(place_->url(), {.durable = false});
        });
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
        ASSERT_TRUE(test::patiently("its tables are made", [&] {
            return database->migrate(std::array{tables});
        }));
    }
    void TearDown() override
    {
        engine.reset();
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    void open(const RunPolicy& policy = {}) { open(operation_of(table, policy)); }
    void open(const OperationSpec& spec)
    {
        engine = *test::patiently("the engine is made", [&] {
            return open_engine(*database, {.worker_period = std::nullopt});
        });
        const auto declared = engine->declare(spec);
        ASSERT_TRUE(declared) << declared.error().detail;
        const auto started = test::patiently("it is started", [&] { return engine->start(); });
        ASSERT_TRUE(started) << started.error().detail;
    }
    void add(int count)
    {
        sql("INSERT INTO chores SELECT n, 'pending', 0, 0, 0, 0, NULL, 0 FROM (WITH RECURSIVE c(n) "
            "AS "
            "(SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < " +
            std::to_string(count) + ") SELECT n FROM c) AS numbers");
    }
    Result<void> transact(const Closure& closure)
    {
        return test::patiently("a transaction", [&] { return database->transact(closure); });
    }
    void sql(const std::string& statement)
    {
        const auto done = transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(statement);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    std::int64_t ask(const std::string& query)
    {
        std::int64_t number = -1;
        const Closure closure = [&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query(query);
            if (!rows) return std::unexpected(rows.error());
            number = rows->front().integer(0);
            return {};
        };
        const auto done = test::patiently(query, [&] { return database->read(closure); });
        EXPECT_TRUE(done) << done.error().detail;
        return number;
    }
    void wait_until_it_is(std::int64_t wanted, const std::string& query)
    {
        test::wait_until(query + ": " + std::to_string(wanted), [&] {
            return ask(query) == wanted;
        });
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

    Result<Begun> begin(const Item& item)
    {
        return test::patiently("a run begins", [&] {
            return engine->begin(request_of(record_id_of(table, item)));
        });
    }
    // As if the process of whoever runs something had died, and its lease were over.
    void end_leases()
    {
        sql("UPDATE umavez_records SET processing_expires_at = 1 WHERE status = 'processing'");
    }

    Result<void> do_chore(Lease& lease, const Item& item, const Ended& ended = {.state = "done"})
    {
        return transact([&](Transaction& transaction) -> Result<void> {
            const auto done = transaction.execute("INSERT INTO effects VALUES ($1)", {item.id});
            if (!done) return std::unexpected(done.error());
            return end_run(transaction, table, item, lease, ended);
        });
    }

    // One transaction for all of them. `wrong` is an item that cannot be done beside others.
    Result<std::vector<Item>> do_chores(std::span<Claimed> claimed, std::int64_t wrong = 0)
    {
        const auto done = transact([&](Transaction& transaction) -> Result<void> {
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
    wait_until_it_is(300, "SELECT count(*) FROM chores WHERE state = 'done' AND run = 1");
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 300);
    EXPECT_EQ(ask("SELECT count(DISTINCT chore) FROM effects"), 300);
}

TEST_F(WorkerTest, AFailureIsTriedAgainAndThenDead)
{
    const RetryRule rule{.first = 1ms, .longest = 1ms, .attempts_max = 3};
    std::atomic<int> runs = 0;
    const RunItem fails = [&](Lease& lease, const Item& item) {
        ++runs;
        return transact([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("SELECT attempts FROM chores");
            if (!rows) return std::unexpected(rows.error());
            const Ended ended = after_failure(rule, rows->front().integer(0), "no luck", 0.5);
            return end_run(transaction, table, item, lease, ended);
        });
    };
    open();
    add(1);
    Worker worker{*engine, *database, table, fails, {.threads = 2, .period = 2ms}};
    wait_until_it_is(1, "SELECT count(*) FROM chores WHERE state = 'dead'");
    EXPECT_GE(runs, 3);  // one whose end was not written is repeated
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
    wait_until_it_is(1, "SELECT run FROM chores WHERE state = 'done' UNION ALL SELECT 0 LIMIT 1");
    const auto driven = transact([&](Transaction& transaction) -> Result<void> {
        const auto again = drive_again(transaction, table, 1);
        if (!again) return std::unexpected(again.error());
        EXPECT_TRUE(*again);
        return {};
    });
    ASSERT_TRUE(driven);
    worker.wake();
    wait_until_it_is(2, "SELECT count(*) FROM effects");
}

TEST_F(WorkerTest, AnErrorOfTheRunLeavesTheItemDue)
{
    std::atomic<bool> is_away = true;
    const RunItem chore = [&](Lease& lease, const Item& item) -> Result<void> {
        if (is_away) return fail(Errc::store_unavailable, "the store is away");
        return do_chore(lease, item);
    };
    open();
    add(1);
    Worker worker{*engine, *database, table, chore, {.threads = 1, .period = 1ms, .hidden = 2ms}};
    test::wait_until("its trouble is told", [&] {
        return worker.take_trouble() == "the store is away";
    });
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 0);
    is_away = false;
    wait_until_it_is(1, "SELECT count(*) FROM chores WHERE state = 'done'");
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 1);
    EXPECT_EQ(ask("SELECT attempts FROM chores"), 0);
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
    // Its first heartbeat comes after the end of the case.
    OperationSpec spec = operation_of(table, {.lease = 1h});
    spec.policy.run_limit = 1h;
    open(spec);
    add(1);
    Worker worker{*engine, *database, table, chore, {.threads = 2, .period = 5ms, .hidden = 10ms}};
    test::wait_until("somebody has taken it", [&] { return taken.try_wait(); });
    end_leases();
    const bool is_done = test::is_met("somebody else does it", [&] {
        return ask("SELECT count(*) FROM chores WHERE state = 'done'") == 1;
    });
    wakes.set_value();  // whatever came of it: the worker waits for its threads
    ASSERT_TRUE(is_done);
    const Result<void> outcome = test::wait_for("the late one has tried", late.get_future());
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
    {
        const auto begun = begin({.id = 1, .run = 0});
        ASSERT_TRUE(begun);
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }  // dropped: its owner died
    Worker worker{*engine, *database, table, chore, {.threads = 1, .period = 2ms, .hidden = 5ms}};
    wait_until_it_is(1, "SELECT count(*) FROM chores WHERE state = 'done'");
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
    wait_until_it_is(20, "SELECT count(*) FROM chores WHERE state = 'done'");
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
    wait_until_it_is(300, "SELECT count(*) FROM chores WHERE state = 'done' AND run = 1");
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
    wait_until_it_is(0, "SELECT count(*) FROM chores WHERE state = 'pending'");
    EXPECT_EQ(ask("SELECT id FROM chores WHERE state = 'dead'"), 13);
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE state = 'done' AND run = 1"), 199);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 200);
    EXPECT_EQ(ask("SELECT count(DISTINCT chore) FROM effects"), 200);
}

TEST_F(WorkerTest, WhatIsLeftOfABatchIsRunAlone)
{
    std::atomic<int> left_over = 0;
    std::atomic<int> alone = 0;
    const RunItem chore = [&](Lease& lease, const Item& item) {
        ++alone;
        return do_chore(lease, item, {.state = "alone"});
    };
    const RunItems chores = [&](std::span<Claimed> claimed) -> Result<std::vector<Item>> {
        const std::vector<Item> left{claimed.back().item};
        const auto done = do_chores(claimed.first(claimed.size() - 1));
        if (!done) return done;
        ++left_over;
        return left;
    };
    open();
    add(64);
    Worker worker{
        *engine, *database, table, chore, {.threads = 1, .run_together = chores, .together_max = 8}
    };
    wait_until_it_is(0, "SELECT count(*) FROM chores WHERE state = 'pending'");
    EXPECT_GE(left_over, 1);
    EXPECT_GE(alone, left_over);  // and those that were claimed one at a time
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE state = 'alone'"), alone);
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
    wait_until_it_is(20, "SELECT count(*) FROM chores WHERE state = 'done'");
    EXPECT_EQ(batches, 0);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 20);
}

// One of two was run by somebody else meanwhile: neither is ended in this transaction.
TEST_F(WorkerTest, ALeaseThatIsLostUndoesTheWholeBatch)
{
    OperationSpec spec = operation_of(table, {.lease = 1s});
    spec.policy.run_limit = 1s;  // instead of a process that is stopped: its heartbeats end
    open(spec);
    add(2);
    std::vector<Claimed> batch;
    for (const Item& item : {Item{1, 0}, Item{2, 0}}) {
        auto begun = begin(item);
        ASSERT_TRUE(begun && std::holds_alternative<Lease>(*begun));
        batch.push_back({item, std::get<Lease>(std::move(*begun))});
    }
    test::wait_until("the second is taken over", [&] {
        const auto again = begin({2, 0});
        EXPECT_TRUE(again) << again.error().detail;
        return again && std::holds_alternative<Lease>(*again);
    });

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
    test::wait_until("the first has begun", [&] { return begun.try_wait(); });
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
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE state = 'pending'"), 59);
    // What a slow database refused comes back later, when its time of hiding is over.
    if (worker.take_trouble()) return;
    EXPECT_EQ(ask("SELECT count(*) FROM chores WHERE takes = 0"), 60);
}

TEST_F(WorkerTest, ARunThatWasResolvedByHandEndsItsRow)
{
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    open();
    add(2);
    for (const auto& [id, as] : {std::pair{1, Resolution::succeeded}, {2, Resolution::failed}}) {
        const Item item{.id = id, .run = 0};
        {
            const auto begun = begin(item);
            ASSERT_TRUE(begun && std::holds_alternative<Lease>(*begun));
        }
        end_leases();
        const auto resolved = test::patiently("it is resolved", [&, resolution = as] {
            return engine->resolve(record_id_of(table, item), resolution, std::nullopt, "looked");
        });
        ASSERT_TRUE(resolved) << resolved.error().detail;
    }

    std::promise<Item> dead;
    const WorkerOptions options{
        .threads = 1,
        .period = 2ms,
        .on_dead = [&](const Item& buried, const std::string&) { dead.set_value(buried); },
    };
    Worker worker{*engine, *database, table, chore, options};

    wait_until_it_is(1, "SELECT count(*) FROM chores WHERE id = 1 AND state = 'done' AND run = 1");
    wait_until_it_is(1, "SELECT count(*) FROM chores WHERE id = 2 AND state = 'dead' AND run = 1");
    const Item buried = test::wait_for("its death is told", dead.get_future());
    EXPECT_EQ(buried, (Item{.id = 2, .run = 0}));
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 0);
}

TEST_F(WorkerTest, WhatKilledItsOwnersTooOftenIsDead)
{
    const RunItem chore = [this](Lease& lease, const Item& item) { return do_chore(lease, item); };
    OperationSpec spec = operation_of(table, {.lease = 10ms});
    spec.policy.takeovers_max = 2;
    open(spec);
    add(1);
    const Item item{.id = 1, .run = 0};
    test::wait_until("it was taken over too often", [&] {
        const auto begun = begin(item);
        EXPECT_TRUE(begun) << begun.error().detail;
        const auto* const outcome = begun ? std::get_if<Outcome>(&*begun) : nullptr;
        return outcome != nullptr && std::holds_alternative<InDoubt>(*outcome);
    });
    std::promise<Item> dead;
    const WorkerOptions options{
        .threads = 1,
        .period = 2ms,
        .on_dead = [&](const Item& buried, const std::string&) { dead.set_value(buried); },
    };
    Worker worker{*engine, *database, table, chore, options};
    wait_until_it_is(1, "SELECT count(*) FROM chores WHERE state = 'dead'");
    EXPECT_EQ(test::wait_for("its death is told", dead.get_future()), item);
    EXPECT_EQ(ask("SELECT count(*) FROM effects"), 0);
}

}  // namespace
}  // namespace umavez::work
