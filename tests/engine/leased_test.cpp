// Leased mode on SQLite: completion inside a business transaction is fenced with it.

#include "shop.hpp"

#include <csignal>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

namespace umavez::shop {
namespace {

OperationSpec leased(Policy policy = {.guarantee = Guarantee::leased})
{
    return {.name = "enviar", .policy = policy};
}

Closure finishing(Lease& lease, std::string item)
{
    return [&lease, item = std::move(item)](Transaction& transaction) -> Result<void> {
        const auto inserted = transaction.execute("INSERT INTO pedidos (item) VALUES ($1)", {item});
        if (!inserted) return std::unexpected(inserted.error());
        return lease.finish(transaction, Response{.status = 201, .headers = {}, .body = item});
    };
}

// Every key gets another owner's token.
void steal(Shop& shop)
{
    const auto stolen = shop.transact([](Transaction& transaction) -> Result<void> {
        const auto changed = transaction.execute("UPDATE umavez_records SET epoch = epoch + 1");
        if (!changed) return std::unexpected(changed.error());
        return {};
    });
    ASSERT_TRUE(stolen) << stolen.error().detail;
}

// Every lease is over, as if its time had passed.
void end_leases(Shop& shop)
{
    const auto ended = shop.transact([](Transaction& transaction) -> Result<void> {
        const auto changed =
            transaction.execute("UPDATE umavez_records SET processing_expires_at = 1");
        if (!changed) return std::unexpected(changed.error());
        return {};
    });
    ASSERT_TRUE(ended) << ended.error().detail;
}

TEST(LeasedOnSqlite, RunsOnceAndReplays)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    int effects = 0;
    const auto send = [&](Lease& lease) {
        EXPECT_FALSE(lease.effect_key().empty());
        ++effects;
        return Response{.status = 202, .headers = {}, .body = "sent"};
    };

    get<Executed>(shop.engine->leased(request("enviar", "k1"), send));
    const auto second = shop.engine->leased(request("enviar", "k1"), send);

    EXPECT_EQ(get<Replayed>(second).response.body, "sent");
    EXPECT_EQ(effects, 1);
}

TEST(LeasedOnSqlite, FinishInATransactionCommitsRowsAndRecordTogether)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    const auto handler = [&](Lease& lease) {
        EXPECT_TRUE(shop.transact(finishing(lease, "a")));
        return Response{.status = 201, .headers = {}, .body = "a"};
    };

    const auto first = shop.engine->leased(request("enviar", "k1"), handler);
    const auto second = shop.engine->leased(request("enviar", "k1"), handler);

    EXPECT_EQ(get<Executed>(first).response.body, "a");
    EXPECT_EQ(get<Replayed>(second).response.body, "a");
    EXPECT_EQ(shop.count(), 1);
}

TEST(LeasedOnSqlite, FinishInATransactionAfterATakeoverRollsTheRowsBack)
{
    Shop shop;
    Policy policy{.guarantee = Guarantee::leased, .lease = 1h, .run_limit = 1h};
    policy.on_abandoned = OnAbandoned::rerun;
    policy.effect = RepeatedEffect::deduplicated;
    shop.declare(leased(policy));
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    Lease late = std::move(std::get<Lease>(*begun));
    end_leases(shop);
    get<Executed>(shop.engine->leased(request("enviar", "k1"), [](Lease&) {
        return Response{.status = 200};
    }));

    const auto committed = shop.transact(finishing(late, "late"));

    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, Errc::lease_lost);
    EXPECT_EQ(shop.count(), 0);
}

TEST(LeasedOnSqlite, ALeaseLostInATransactionSpoilsItEvenIfTheErrorIsOverlooked)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    Lease& lease = std::get<Lease>(*begun);
    steal(shop);

    const auto committed = shop.transact([&](Transaction& transaction) -> Result<void> {
        static_cast<void>(finishing(lease, "late")(transaction));
        return {};
    });

    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, Errc::lease_lost);
    EXPECT_EQ(shop.count(), 0);
}

TEST(LeasedOnSqlite, ALeaseLostInANestedPartSpoilsTheWholeTransaction)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    Lease& lease = std::get<Lease>(*begun);
    steal(shop);

    const auto committed = shop.transact([&](Transaction& transaction) -> Result<void> {
        const auto inserted = transaction.execute("INSERT INTO pedidos (item) VALUES ('unfenced')");
        if (!inserted) return std::unexpected(inserted.error());
        static_cast<void>(transaction.nested([&] { return finishing(lease, "late")(transaction); })
        );
        return {};
    });

    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, Errc::lease_lost);
    EXPECT_EQ(shop.count(), 0);
}

TEST(LeasedOnSqlite, FinishAfterAFinishInATransactionSaysThatItWasCompletedBefore)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    Lease& lease = std::get<Lease>(*begun);
    ASSERT_TRUE(shop.transact(finishing(lease, "a")));

    const auto saved = lease.save("half");
    const auto again = lease.finish(Response{.status = 200});

    ASSERT_FALSE(saved);
    EXPECT_TRUE(saved.error().detail.starts_with("the lease was completed before"));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Errc::invalid_argument);
    EXPECT_TRUE(again.error().detail.starts_with("the lease was completed before"));
    EXPECT_FALSE(lease.is_open());
    EXPECT_EQ(shop.engine->stats().front().fenced, 0u);
}

TEST(LeasedOnSqlite, ALeaseIsOpenAfterItsTransactionRolledBack)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    Lease& lease = std::get<Lease>(*begun);
    const auto failed = shop.transact([&](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(lease.finish(transaction, Response{.status = 201}));
        return fail(Errc::invalid_argument, "changed my mind");
    });
    ASSERT_FALSE(failed);

    EXPECT_TRUE(lease.is_open());
    EXPECT_TRUE(lease.save("half"));
    EXPECT_TRUE(lease.finish(Response{.status = 200}));
    EXPECT_FALSE(lease.is_open());
}

TEST(LeasedOnSqlite, ATransactionThatDidNotCommitLeavesTheKeyInDoubt)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    const auto handler = [&](Lease& lease) {
        const auto failed = shop.transact([&](Transaction& transaction) -> Result<void> {
            EXPECT_TRUE(lease.finish(transaction, Response{.status = 201}));
            return fail(Errc::invalid_argument, "changed my mind");
        });
        EXPECT_FALSE(failed);
        return Response{.status = 201};
    };

    get<InDoubt>(shop.engine->leased(request("enviar", "k1"), handler));
}

TEST(LeasedOnSqlite, ALeaseCallInsideATransactionFailsAtOnce)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    Lease& lease = std::get<Lease>(*begun);

    std::optional<Result<void>> inside;
    const auto ran = shop.transact([&](Transaction&) -> Result<void> {
        inside = lease.finish(Response{.status = 200});
        return {};
    });

    ASSERT_TRUE(ran);
    EXPECT_EQ(inside->error().code, Errc::wrong_thread);
    EXPECT_TRUE(lease.is_open());
}

// Worker, timers and lane have threads, which a child does not; who waits for them waits for ever.
TEST(LeasedOnSqlite, AChildOfForkDestroysItsCopyOfEverythingAndTheParentGoesOn)
{
    Shop shop{{.worker_period = 1h}};
    shop.declare(leased());
    shop.start();
    auto begun = shop.engine->begin(request("enviar", "k1"));
    std::optional<Lease> lease{std::move(std::get<Lease>(*begun))};
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(static_cast<unsigned>(test::wait_limit().count()));
        lease.reset();
        shop.engine.reset();
        shop.database.reset();
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_FALSE(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        << test::not_met("the child destroys its copy");
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(lease->finish({.status = 201}));
    EXPECT_EQ(shop.engine->stats().front().leases_dropped, 0u);
}

TEST(LeasedOnSqlite, ACorruptRecordIsNamedByTheWorkerAndTheOthersAreSettled)
{
    Shop shop;
    shop.declare(leased());
    shop.start();
    for (const char* const key : {"k1", "k2"}) {
        auto begun = shop.engine->begin(request("enviar", key));
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }
    const auto damaged = shop.transact([](Transaction& transaction) -> Result<void> {
        // Neither text nor number of a version that was ever written.
        const auto changed = transaction.execute(
            "UPDATE umavez_records SET updated_at = -1, processing_expires_at = 1 WHERE key = 'k1'"
        );
        const auto ended = transaction.execute(
            "UPDATE umavez_records SET processing_expires_at = 2 WHERE key = 'k2'"
        );
        if (!changed || !ended) return fail(Errc::sql, "not damaged");
        return {};
    });
    ASSERT_TRUE(damaged);

    const auto worked = shop.engine->work_once();

    ASSERT_TRUE(worked) << worked.error().detail;
    EXPECT_EQ(worked->held, 1u);
    ASSERT_TRUE(worked->unreadable);
    EXPECT_NE(worked->unreadable->find("restore a backup"), std::string::npos);
}

}  // namespace
}  // namespace umavez::shop
