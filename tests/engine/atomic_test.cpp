// Atomic mode on SQLite: the handler's rows and the record are kept together or not at all.

#include "shop.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace umavez::shop {
namespace {

OperationSpec atomic(std::string name = "pedidos.criar")
{
    return {.name = std::move(name), .policy = {.guarantee = Guarantee::atomic}};
}

TEST(Atomic, ARetryIsReplayedByteForByteAndWritesNothing)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");

    const auto first = shop.engine->atomically(pedido, inserting("a"));
    const auto second = shop.engine->atomically(pedido, inserting("b"));

    EXPECT_EQ(get<Executed>(first).response.body, "made a");
    EXPECT_EQ(get<Replayed>(second).response.body, "made a");
    EXPECT_EQ(get<Replayed>(second).response.status, 201);
    EXPECT_EQ(shop.count(), 1);
}

TEST(Atomic, FirstAndRetryTellWhenTheRecordExpires)
{
    Shop shop;
    shop.declare(atomic());
    OperationSpec forever = atomic("pedidos.guardar");
    forever.policy.retention = std::nullopt;
    shop.declare(forever);
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");

    const auto first = shop.engine->atomically(pedido, inserting("a"));
    const auto second = shop.engine->atomically(pedido, inserting("b"));
    const auto passing =
        shop.engine->atomically(request("pedidos.criar", "k2"), inserting("c", 503));
    const auto kept = shop.engine->atomically(request("pedidos.guardar", "k1"), inserting("d"));

    const auto story = shop.engine->explain({pedido.tenant_id, pedido.operation, *pedido.key});
    ASSERT_TRUE(story->record->expires_at);
    EXPECT_EQ(get<Executed>(first).expires_at, story->record->expires_at);
    EXPECT_EQ(get<Replayed>(second).expires_at, story->record->expires_at);
    EXPECT_EQ(get<Executed>(passing).expires_at, std::nullopt);
    EXPECT_EQ(get<Executed>(kept).expires_at, std::nullopt);
}

TEST(Atomic, AFinalFailureKeepsTheAnswerAndNotTheRows)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");

    const auto first = shop.engine->atomically(pedido, inserting("a", 422));
    const auto second = shop.engine->atomically(pedido, inserting("b"));

    EXPECT_TRUE(get<Executed>(first).kept);
    EXPECT_EQ(get<Replayed>(second).response.status, 422);
    EXPECT_EQ(shop.count(), 0);
}

TEST(Atomic, APassingFailureKeepsNeitherAndFreesTheKey)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");

    const auto first = shop.engine->atomically(pedido, inserting("a", 503));
    EXPECT_EQ(shop.count(), 0);
    EXPECT_EQ(shop.count("umavez_records"), 0);
    const auto second = shop.engine->atomically(pedido, inserting("a"));

    EXPECT_FALSE(get<Executed>(first).kept);
    EXPECT_TRUE(get<Executed>(second).kept);
    EXPECT_EQ(shop.count(), 1);
    const auto story = shop.engine->explain({pedido.tenant_id, pedido.operation, *pedido.key});
    ASSERT_EQ(story->timeline.size(), 2u);
    EXPECT_EQ(story->timeline[0].event, "released");
    EXPECT_EQ(story->timeline[1].event, "executed");
}

TEST(Atomic, AnExceptionReachesTheCallerAndKeepsNothing)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");
    const auto thrower = inserting("a", 201, [] { throw std::out_of_range("boom"); });

    EXPECT_THROW(static_cast<void>(shop.engine->atomically(pedido, thrower)), std::out_of_range);

    EXPECT_EQ(shop.count(), 0);
    get<Executed>(shop.engine->atomically(pedido, inserting("a")));
}

TEST(Atomic, AnOverlookedSqlErrorIsNotHalfAnEffect)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const AtomicHandler careless = [](Transaction& transaction) -> Result<Response> {
        static_cast<void>(transaction.execute("INSERT INTO pedidos (item) VALUES ('a')"));
        static_cast<void>(transaction.execute("INSERT INTO pedidos (item) VALUES ('a')"));
        return Response{.status = 201};
    };

    const auto outcome = shop.engine->atomically(request("pedidos.criar", "k1"), careless);

    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Errc::sql);
    EXPECT_EQ(shop.count(), 0);
    EXPECT_EQ(shop.count("umavez_records"), 0);
}

TEST(Atomic, AnExpectedSqlErrorInsideNestedCanBeAnswered)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    get<Executed>(shop.engine->atomically(request("pedidos.criar", "k1"), inserting("a")));
    const AtomicHandler careful = [](Transaction& transaction) -> Result<Response> {
        const auto inserted = transaction.nested([&]() -> Result<void> {
            const auto done = transaction.execute("INSERT INTO pedidos (item) VALUES ('a')");
            if (!done) return std::unexpected(done.error());
            return {};
        });
        if (!inserted && inserted.error().code == Errc::unique_violation)
            return Response{.status = 422};
        return Response{.status = 201};
    };

    const auto outcome = shop.engine->atomically(request("pedidos.criar", "k2"), careful);

    EXPECT_EQ(get<Executed>(outcome).response.status, 422);
}

TEST(Atomic, AnEngineCallInsideAHandlerFailsAtOnce)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    std::optional<Result<Outcome>> inner;
    std::optional<Result<void>> plain;
    const AtomicHandler nested = [&](Transaction&) -> Result<Response> {
        inner = shop.engine->atomically(request("pedidos.criar", "k2"), inserting("b"));
        plain = shop.database->transact([](Transaction&) -> Result<void> { return {}; });
        return Response{.status = 200};
    };

    get<Executed>(shop.engine->atomically(request("pedidos.criar", "k1"), nested));

    ASSERT_FALSE(*inner);
    EXPECT_EQ(inner->error().code, Errc::wrong_thread);
    ASSERT_FALSE(*plain);
    EXPECT_EQ(plain->error().code, Errc::wrong_thread);
}

TEST(Atomic, InsideAnotherTransactionItIsDurableWithIt)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");
    const auto apply = [&](bool fails) {
        return shop.transact([&](Transaction& transaction) -> Result<void> {
            const auto outcome = shop.engine->atomically(transaction, pedido, inserting("a"));
            EXPECT_TRUE(outcome);
            if (fails) return fail(Errc::invalid_argument, "the outer part failed");
            return {};
        });
    };

    EXPECT_FALSE(apply(true));
    EXPECT_EQ(shop.count(), 0);
    EXPECT_EQ(shop.count("umavez_records"), 0);
    EXPECT_TRUE(apply(false));
    EXPECT_TRUE(apply(false));
    EXPECT_EQ(shop.count(), 1);
}

TEST(Atomic, InsideAnotherTransactionOnlyWhatItCommitsIsCountedAndTold)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");
    Request keyless = pedido;
    keyless.key.reset();
    const auto apply = [&](bool fails) {
        return shop.transact([&](Transaction& transaction) -> Result<void> {
            EXPECT_TRUE(shop.engine->atomically(transaction, pedido, inserting("a")));
            EXPECT_TRUE(shop.engine->atomically(transaction, keyless, inserting("x", 422)));
            EXPECT_TRUE(shop.engine->atomically(
                transaction, request("pedidos.criar", "k2"), inserting("b", 503)
            ));
            // A part that is undone while the rest goes on.
            EXPECT_FALSE(transaction.nested([&]() -> Result<void> {
                EXPECT_TRUE(shop.engine->atomically(
                    transaction, request("pedidos.criar", "k3"), inserting("c")
                ));
                return fail(Errc::invalid_argument, "undone");
            }));
            if (fails) return fail(Errc::invalid_argument, "the outer part failed");
            return {};
        });
    };

    EXPECT_FALSE(apply(true));
    OperationStats stats = shop.engine->stats().front();
    EXPECT_EQ(stats.executed + stats.replayed + stats.unkeyed + stats.released, 0u);

    EXPECT_TRUE(apply(false));
    stats = shop.engine->stats().front();
    EXPECT_EQ(stats.executed, 2u);  // a 503 was executed, too
    EXPECT_EQ(stats.unkeyed, 1u);
    EXPECT_EQ(stats.released, 1u);
    EXPECT_EQ(stats.replayed, 0u);

    EXPECT_FALSE(apply(true));
    EXPECT_TRUE(apply(false));
    EXPECT_EQ(shop.engine->stats().front().replayed, 1u);
    shop.engine.reset();  // notes that still wait are written
    EXPECT_EQ(shop.count("umavez_audit WHERE event = 'replayed'"), 1);
}

TEST(Atomic, ATransactionOfAnotherDatabaseIsRefusedBeforeTheHandlerRuns)
{
    Shop shop;
    Shop other;
    shop.declare(atomic());
    shop.start();

    const auto done = other.transact([&](Transaction& foreign) -> Result<void> {
        const auto outcome =
            shop.engine->atomically(foreign, request("pedidos.criar", "k1"), inserting("a"));
        EXPECT_FALSE(outcome);
        if (outcome) return {};
        EXPECT_EQ(outcome.error().code, Errc::invalid_argument);
        return std::unexpected(outcome.error());
    });

    EXPECT_FALSE(done);
    EXPECT_EQ(other.count(), 0);
    EXPECT_EQ(shop.count("umavez_records"), 0);
}

TEST(Atomic, ReplayCurrentGivesTheEntityAsItIsNow)
{
    Shop shop;
    OperationSpec spec = atomic();
    spec.policy.replay = Replaying::current;
    spec.current = [](Transaction& transaction, const Record& record) -> Result<Response> {
        auto rows = transaction.query(
            "SELECT item FROM pedidos WHERE id = $1",
            {static_cast<std::int64_t>(std::stoll(record.response->response.entity->id))}
        );
        if (!rows) return std::unexpected(rows.error());
        Response response{.status = 200};
        response.body = rows->front().text(0);
        return response;
    };
    shop.declare(std::move(spec));
    shop.start();
    const AtomicHandler creating = [](Transaction& transaction) -> Result<Response> {
        auto rows = transaction.query("INSERT INTO pedidos (item) VALUES ('old') RETURNING id");
        if (!rows) return std::unexpected(rows.error());
        Response response{.status = 201};
        response.entity = Entity{"pedido", std::to_string(rows->front().integer(0))};
        return response;
    };
    const Request pedido = request("pedidos.criar", "k1");
    get<Executed>(shop.engine->atomically(pedido, creating));
    ASSERT_TRUE(shop.transact([](Transaction& transaction) -> Result<void> {
        const auto changed = transaction.execute("UPDATE pedidos SET item = 'new'");
        if (!changed) return std::unexpected(changed.error());
        return {};
    }));

    const auto replayed = shop.engine->atomically(pedido, creating);

    EXPECT_EQ(get<Replayed>(replayed).response.body, "new");
    EXPECT_EQ(get<Replayed>(replayed).response.status, 200);
}

// A storm of retries costs one read of the entity for each state of the database, where states have names.
TEST(Atomic, ReplayCurrentIsReadAgainOnlyAfterACommit)
{
    Shop shop{{.audit = false, .worker_period = std::nullopt}};
    int reads = 0;
    OperationSpec spec = atomic();
    spec.policy.replay = Replaying::current;
    spec.current = [&reads](Transaction& transaction, const Record&) -> Result<Response> {
        ++reads;
        auto rows = transaction.query("SELECT item FROM pedidos");
        if (!rows) return std::unexpected(rows.error());
        return Response{
            .status = 200, .headers = {}, .body = std::string{rows->front().text(0)}, .entity = {}
        };
    };
    shop.declare(std::move(spec));
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");
    get<Executed>(shop.engine->atomically(pedido, inserting("old")));
    const auto retry = [&] {
        return get<Replayed>(shop.engine->atomically(pedido, inserting("never"))).response.body;
    };

    constexpr int retries = 100;
    for (int i = 0; i < retries; ++i) EXPECT_EQ(retry(), "old");
    const bool has_states = shop.database->dialect() == Dialect::sqlite;
    EXPECT_EQ(reads < retries, has_states);  // one, and one more for each second it took
    Request other = request("pedidos.criar", "k1", R"({"item":"another"})");
    get<Mismatch>(shop.engine->atomically(other, inserting("never")));
    const auto change = [](Transaction& transaction) -> Result<void> {
        const auto changed = transaction.execute("UPDATE pedidos SET item = 'new'");
        return changed ? Result<void>{} : Result<void>{std::unexpected(changed.error())};
    };
    ASSERT_TRUE(shop.transact(change));

    for (int i = 0; i < retries; ++i) EXPECT_EQ(retry(), "new");
    EXPECT_EQ(reads < 2 * retries, has_states);
}

// A payload that differs is noted each time, whether the answer was known or read.
TEST(Atomic, ReplayCurrentOfAnotherPayloadUnderOriginalIsTheKnownAnswer)
{
    Shop shop;
    int reads = 0;
    OperationSpec spec = atomic();
    spec.policy.replay = Replaying::current;
    spec.policy.on_mismatch = OnMismatch::original;
    spec.current = [&reads](Transaction&, const Record&) -> Result<Response> {
        ++reads;
        return Response{.status = 200, .headers = {}, .body = "as it is", .entity = {}};
    };
    shop.declare(std::move(spec));
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");
    const Request other = request("pedidos.criar", "k1", R"({"item":"another"})");
    get<Executed>(shop.engine->atomically(pedido, inserting("first")));
    get<Replayed>(shop.engine->atomically(pedido, inserting("never")));

    for (int i = 0; i < 3; ++i) {
        const auto replayed = shop.engine->atomically(other, inserting("never"));
        EXPECT_EQ(get<Replayed>(replayed).response.body, "as it is");
    }

    EXPECT_EQ(shop.count(), 1);
    EXPECT_GE(reads, 1);
    shop.engine.reset();  // its notes are written at the latest now
    const auto later = *open_engine(*shop.database, {.worker_period = std::nullopt});
    const auto story = later->explain({pedido.tenant_id, pedido.operation, *pedido.key});
    ASSERT_TRUE(story) << story.error().detail;
    EXPECT_GE(std::ranges::count(story->timeline, "mismatch_ignored", &TimelineEntry::event), 1);
}

// What was read while an error was overlooked is nobody's answer, and not kept for the next retry.
TEST(Atomic, ReplayCurrentThatOverlooksAnErrorIsReadAgain)
{
    Shop shop;
    int reads = 0;
    bool is_broken = true;
    OperationSpec spec = atomic();
    spec.policy.replay = Replaying::current;
    spec.current = [&](Transaction& transaction, const Record&) -> Result<Response> {
        ++reads;
        if (is_broken) static_cast<void>(transaction.query("SELECT nothing FROM nowhere"));
        return Response{.status = 200, .headers = {}, .body = "as it is", .entity = {}};
    };
    shop.declare(std::move(spec));
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");
    get<Executed>(shop.engine->atomically(pedido, inserting("first")));

    for (int i = 0; i < 2; ++i) {
        const int before = reads;
        EXPECT_FALSE(shop.engine->atomically(pedido, inserting("never")));
        EXPECT_GT(reads, before);
    }
    is_broken = false;
    const auto replayed = shop.engine->atomically(pedido, inserting("never"));

    EXPECT_EQ(get<Replayed>(replayed).response.body, "as it is");
    EXPECT_EQ(shop.count(), 1);
}

TEST(Atomic, AnEffectThatIsThereAlreadyIsAnsweredAsAReplayAndItsRecordIsBack)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");
    const AtomicHandler finding = [](Transaction&) -> Result<Response> {
        Response response{.status = 201};
        response.body = "made long ago";
        response.was_done = true;
        return response;
    };

    const auto found = shop.engine->atomically(pedido, finding);
    const auto retried = shop.engine->atomically(pedido, inserting("a"));

    EXPECT_EQ(get<Replayed>(found).response.body, "made long ago");
    EXPECT_EQ(get<Replayed>(found).status, Status::succeeded);
    EXPECT_FALSE(get<Replayed>(found).response.was_done);
    EXPECT_EQ(get<Replayed>(retried).response.body, "made long ago");
    EXPECT_EQ(shop.count(), 0);
    EXPECT_EQ(shop.count("umavez_records"), 1);
}

TEST(Atomic, WithoutAKeyItIsAPlainTransaction)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    Request keyless = request("pedidos.criar", "x");
    keyless.key.reset();

    get<Unkeyed>(shop.engine->atomically(keyless, inserting("a")));
    get<Unkeyed>(shop.engine->atomically(keyless, inserting("b")));
    EXPECT_EQ(
        get<Unkeyed>(shop.engine->atomically(keyless, inserting("c", 422))).response.status, 422
    );

    EXPECT_EQ(shop.count(), 2);
    EXPECT_EQ(shop.count("umavez_records"), 0);
}

TEST(Atomic, WithoutAKeyAnOverlookedSqlErrorIsNoSuccess)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    Request keyless = request("pedidos.criar", "x");
    keyless.key.reset();
    const AtomicHandler careless = [](Transaction& transaction) -> Result<Response> {
        static_cast<void>(transaction.execute("INSERT INTO pedidos (item) VALUES ('a')"));
        static_cast<void>(transaction.execute("INSERT INTO pedidos (item) VALUES ('a')"));
        return Response{.status = 201};
    };

    const auto outcome = shop.engine->atomically(keyless, careless);

    EXPECT_FALSE(outcome) << "told success for what was rolled back";
    EXPECT_EQ(shop.count(), 0);
}

TEST(Atomic, AHandlerThatRunsItsOwnKeyAgainIsRefusedAndNothingIsKept)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const Request pedido = request("pedidos.criar", "k1");

    const auto outcome =
        shop.engine->atomically(pedido, [&](Transaction& transaction) -> Result<Response> {
            const auto inner = shop.engine->atomically(transaction, pedido, inserting("inner"));
            EXPECT_TRUE(inner);
            return inserting("outer")(transaction);
        });
    const auto again = shop.engine->atomically(pedido, inserting("again"));

    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Errc::invalid_argument);
    EXPECT_TRUE(std::holds_alternative<Executed>(*again));
    EXPECT_EQ(shop.count(), 1);
}

TEST(Atomic, InsideAnotherTransactionARefusalLeavesNothingAndTheOuterPartGoesOn)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    const auto applied = shop.transact([&](Transaction& transaction) -> Result<void> {
        Request keyless = request("pedidos.criar", "x");
        keyless.key.reset();
        EXPECT_TRUE(shop.engine->atomically(transaction, keyless, inserting("keyless", 422)));
        EXPECT_TRUE(shop.engine->atomically(
            transaction, request("pedidos.criar", "k1"), inserting("b", 503)
        ));
        const auto inserted = transaction.execute("INSERT INTO pedidos (item) VALUES ('outer')");
        if (!inserted) return std::unexpected(inserted.error());
        return {};
    });

    EXPECT_TRUE(applied) << applied.error().detail;
    EXPECT_EQ(shop.count(), 1);
}

TEST(Atomic, LookUpTellsAReplayAndAMismatchAndRunsNothing)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    EXPECT_FALSE(*shop.engine->look_up(request("pedidos.criar", "k1")));
    get<Executed>(shop.engine->atomically(request("pedidos.criar", "k1"), inserting("a")));

    const auto same = shop.engine->look_up(request("pedidos.criar", "k1"));
    const auto other = shop.engine->look_up(request("pedidos.criar", "k1", R"({"other":1})"));

    EXPECT_EQ(to_text(**same), "replayed");
    EXPECT_EQ(to_text(**other), "mismatch");
}

TEST(Atomic, AClosureOverItsRunLimitIsAnsweredUnavailableWithoutEffect)
{
    Shop shop;
    OperationSpec spec = atomic();
    spec.policy.atomic_run_limit = 1s;
    shop.declare(std::move(spec));
    shop.start();
    const AtomicHandler endless = [](Transaction& transaction) -> Result<Response> {
        auto rows = transaction.query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        );
        if (!rows) return std::unexpected(rows.error());
        return Response{.status = 200};
    };

    const auto outcome = shop.engine->atomically(request("pedidos.criar", "k1"), endless);

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::none);
    // A stall may make the one that is quick late, too.
    test::wait_until("the quick one runs under the same key", [&] {
        const auto quick = shop.engine->atomically(request("pedidos.criar", "k1"), inserting("a"));
        if (quick && std::holds_alternative<Unavailable>(*quick)) return false;
        get<Executed>(quick);
        return true;
    });

    Request keyless = request("pedidos.criar", "k1");
    keyless.key.reset();
    EXPECT_EQ(get<Unavailable>(shop.engine->atomically(keyless, endless)).effect, Effect::none);
}

TEST(Atomic, SweptRecordsTakeTheOperationsOwnRowsAlong)
{
    Shop shop;
    OperationSpec spec = atomic();
    spec.policy.retention = 1us;
    spec.swept = [](Transaction& transaction, std::span<const RecordId> ids) -> Result<void> {
        for (const RecordId& id : ids) {
            const auto deleted =
                transaction.execute("DELETE FROM pedidos WHERE item = $1", {id.key.text()});
            if (!deleted) return std::unexpected(deleted.error());
        }
        return {};
    };
    shop.declare(std::move(spec));
    shop.start();
    get<Executed>(shop.engine->atomically(request("pedidos.criar", "gone"), inserting("gone")));

    const auto swept = shop.engine->sweep_once();

    EXPECT_EQ(swept->records, 1u);
    EXPECT_EQ(shop.count(), 0);
    EXPECT_EQ(shop.count("umavez_records"), 0);
}

TEST(Atomic, ABatchThatHadToUndoAMemberIsCountedAsRunAgain)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    ASSERT_TRUE(shop.engine->atomically(request("pedidos.criar", "k1"), inserting("a")));
    ASSERT_EQ(shop.database->lane_stats().batches_rerun, 0u);

    const auto refused =
        shop.engine->atomically(request("pedidos.criar", "k2"), inserting("b", 422));

    ASSERT_TRUE(refused);
    EXPECT_EQ(shop.database->lane_stats().batches_rerun, 1u);
    EXPECT_EQ(shop.database->lane_stats().retried_alone, 0u);
}

TEST(Atomic, TwoEnginesOnOneDatabaseBothKeepTheirNotes)
{
    Shop shop;
    shop.declare(atomic());
    shop.start();
    auto second = *open_engine(*shop.database, {.worker_period = std::nullopt});
    ASSERT_TRUE(second->declare(atomic()));
    ASSERT_TRUE(second->start());
    // A key each: equal notes that wait together are one entry.
    const auto pedido = [](const char* key) { return request("pedidos.criar", key); };
    const auto is_replayed = [&](Engine& engine, const char* key) {
        return std::holds_alternative<Replayed>(*engine.atomically(pedido(key), inserting("b")));
    };
    for (const char* const key : {"k1", "k2", "k3"}) {
        ASSERT_TRUE(shop.engine->atomically(pedido(key), inserting(key)));
    }

    EXPECT_TRUE(is_replayed(*shop.engine, "k1"));
    EXPECT_TRUE(is_replayed(*second, "k2"));
    second.reset();
    EXPECT_TRUE(is_replayed(*shop.engine, "k3"));
    shop.engine.reset();

    EXPECT_EQ(shop.count("umavez_audit WHERE event = 'replayed'"), 3);
}

TEST(Start, RefusesWrongSettingsWithASentenceThatNamesTheCure)
{
    struct Case {
        Policy policy;
        std::string sentence;
    };
    const Case cases[] = {
        {{.guarantee = Guarantee::leased, .lease = 11min},
         "operation \"x\": lease (660 s) is longer than run_limit (600 s); shorten the lease or "
         "raise "
         "run_limit"},
        {{.guarantee = Guarantee::leased, .on_abandoned = OnAbandoned::rerun},
         "operation \"x\": on_abandoned = \"rerun\" repeats the effect; write effect = "
         "\"deduplicated\" "
         "(the other side dedupes on the effect key) or effect = \"harmless\", or use "
         "\"reconcile\" or "
         "\"hold\""},
        {{.guarantee = Guarantee::cached},
         "operation \"x\": guarantee = \"cached\" cannot be given by the sqlite store; use memory, "
         "or "
         "guarantee = \"leased\""},
        {{.guarantee = Guarantee::atomic, .on_store_error = OnStoreError::open},
         "operation \"x\": on_store_error = \"open\" is not possible for guarantee = \"atomic\"; "
         "use "
         "\"closed\""},
    };
    for (const Case& each : cases) {
        Shop shop;
        shop.declare({.name = "x", .policy = each.policy});

        const auto started = shop.engine->start();

        ASSERT_FALSE(started);
        EXPECT_EQ(started.error().code, Errc::misconfigured);
        EXPECT_EQ(started.error().detail, each.sentence);
    }
}

}  // namespace
}  // namespace umavez::shop
