// How long callers wait when PostgreSQL says nothing: it is frozen, its standby is missing, somebody locked
// the table, or it stops. Each has a bound, and nobody is told more than is known.

#include "faults/shop.hpp"
#include "support/postgres_server.hpp"

#include <fmt/format.h>

#include <latch>
#include <thread>
#include <vector>

namespace umavez::faults {
namespace {

class PostgresBounds : public ::testing::Test {
protected:
    static test::PostgresServer& server()
    {
        static test::PostgresServer one{{.durable = true}};
        return one;
    }
    void SetUp() override { server().run("DROP SCHEMA public CASCADE; CREATE SCHEMA public"); }
    // A test that failed in the middle leaves no server that answers nobody.
    void TearDown() override
    {
        server().freeze(false);
        server().require_standby("");
    }

    // Whoever runs for longer than a second is told; docs/operating/postgres.md names the bound.
    static Policy brief()
    {
        Policy policy;
        policy.atomic_run_limit = 1s;
        policy.duplicate_wait = 500ms;
        return policy;
    }
    static constexpr Duration bound = 500ms + 3 * Duration{1s};
    static constexpr Duration slack = 1s;  // a look at the end, and a busy machine

    template <typename Call>
    static Duration time_of(Call call)
    {
        const Duration asked_at = system_clock().boottime();
        call();
        return system_clock().boottime() - asked_at;
    }
};

TEST_F(PostgresBounds, ACommitThatAFrozenServerDoesNotAnswerIsUnknownInTime)
{
    Shop shop{server().url(), 30s, brief()};
    Result<Outcome> outcome;

    const Duration took = time_of([&] {
        outcome = shop.engine->atomically(
            request("pedidos.criar", "k1"),
            [&](Transaction& transaction) -> Result<Response> {
                const auto id = transaction.insert("INSERT INTO pedidos (item) VALUES ($1)", {"a"});
                if (!id) return std::unexpected(id.error());
                server().freeze(true);
                return Response{.status = 201, .headers = {}, .body = "made"};
            }
        );
    });
    server().freeze(false);

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
    EXPECT_LT(took, bound + slack);
    const auto retry = shop.engine->atomically(request("pedidos.criar", "k1"), shop.inserting("a"));
    EXPECT_TRUE(retry && !std::holds_alternative<Unavailable>(*retry));
    EXPECT_EQ(shop.count(), 1);
}

TEST_F(PostgresBounds, ACommitWhoseStandbyIsMissingIsUnknownInTimeAndFoundLater)
{
    Shop shop{server().url(), 30s, brief()};
    get<Executed>(shop.engine->atomically(request("pedidos.criar", "k0"), shop.inserting("0")));
    server().require_standby("nobody");
    Result<Outcome> outcome;

    const Duration took = time_of([&] {
        outcome = shop.engine->atomically(request("pedidos.criar", "k1"), shop.inserting("a"));
    });
    const std::string waiting =
        server().run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    server().require_standby("");
    const auto retry = [&] {
        const Duration deadline = system_clock().boottime() + 10s;
        while (true) {
            auto again = shop.engine->atomically(request("pedidos.criar", "k1"), shop.inserting("a"));
            const bool is_told = again && !std::holds_alternative<Unavailable>(*again) &&
                                 !std::holds_alternative<InProgress>(*again);
            if (is_told || system_clock().boottime() > deadline) return again;
        }
    }();

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
    EXPECT_LT(took, bound + slack);
    EXPECT_EQ(waiting, "1");  // the first is kept, and its read-back writes nothing
    EXPECT_EQ(get<Replayed>(retry).response.body, "made a");
    EXPECT_EQ(shop.count("SELECT count(*) FROM pedidos WHERE item = 'a'"), 1);
}

// The COMMIT waits for its standby, its read-back for the COMMIT; then the server freezes. That the read-back
// came to nothing does not say that the first run did.
TEST_F(PostgresBounds, AReadBackThatIsLostLeavesTheCommitUnknown)
{
    Shop shop{server().url(), 30s, brief()};
    get<Executed>(shop.engine->atomically(request("pedidos.criar", "k0"), shop.inserting("0")));
    server().require_standby("nobody");
    Result<Outcome> outcome;
    {
        const std::jthread caller{[&] {
            outcome = shop.engine->atomically(request("pedidos.criar", "k1"), shop.inserting("a"));
        }};
        const Duration deadline = system_clock().boottime() + 10s;
        while (server().run("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0") {
            ASSERT_LT(system_clock().boottime(), deadline);
        }
        server().freeze(true);
    }
    server().freeze(false);
    server().require_standby("");

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
}

// Requests that go on coming do not fill the server with commits that wait.
TEST_F(PostgresBounds, CommitsThatWaitForAStandbyAreNoMoreThanConnections)
{
    Policy policy;
    policy.atomic_run_limit = 200ms;
    policy.duplicate_wait = 100ms;
    Shop shop{server().url("umavez_connections=2"), 30s, policy};
    get<Executed>(shop.engine->atomically(request("pedidos.criar", "k0"), shop.inserting("0")));
    server().require_standby("nobody");
    for (int i = 1; i <= 5; ++i) {
        const std::string key = "k" + std::to_string(i);
        get<Unavailable>(shop.engine->atomically(request("pedidos.criar", key), shop.inserting(key)));
    }
    const std::string waiting =
        server().run("SELECT count(*) <= 2 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    server().require_standby("");
    const auto later = [&] {
        const Duration deadline = system_clock().boottime() + 10s;
        while (true) {
            auto again = shop.engine->atomically(request("pedidos.criar", "k9"), shop.inserting("9"));
            const bool is_down = again && std::holds_alternative<Unavailable>(*again);
            if (!is_down || system_clock().boottime() > deadline) return again;
        }
    }();

    EXPECT_EQ(waiting, "t");
    get<Executed>(later);
}

TEST_F(PostgresBounds, AClaimThatAFrozenServerDoesNotAnswerIsUnknownInTime)
{
    Shop shop{server().url()};
    int effects = 0;
    const auto send = [&](Lease&) {
        ++effects;
        return Response{.status = 202};
    };
    get<Executed>(shop.engine->leased(request("enviar", "warm"), send));
    server().freeze(true);
    Result<Outcome> outcome;

    const Duration took =
        time_of([&] { outcome = shop.engine->leased(request("enviar", "k1"), send); });
    server().freeze(false);

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
    EXPECT_LT(took, 9s);
    EXPECT_EQ(effects, 1);
}

class PostgresTableLock : public PostgresBounds, public testing::WithParamInterface<const char*> {};

// The table is locked, by a VACUUM FULL or a CREATE INDEX say: that is no other request under the key.
TEST_P(PostgresTableLock, IsUnavailableAndNotInProgress)
{
    Shop shop{server().url(), 30s, brief()};
    std::jthread holder{[&] {
        try {
            server().run(fmt::format(
                "BEGIN; LOCK TABLE umavez_records IN {} MODE; SELECT pg_sleep(20)", GetParam()
            ));
        } catch (const std::runtime_error&) {
            // It is cancelled below.
        }
    }};
    while (server().run("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE%pg_sleep(20)' "
                        "AND wait_event = 'PgSleep'") == "0") {
        continue;
    }
    int effects = 0;

    const auto atomic = shop.engine->atomically(request("pedidos.criar", "k1"), shop.inserting("a"));
    const auto leased = shop.engine->leased(request("enviar", "k1"), [&](Lease&) {
        ++effects;
        return Response{.status = 202};
    });
    server().run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(20)%' "
                 "AND pid <> pg_backend_pid()");

    EXPECT_EQ(get<Unavailable>(atomic).effect, Effect::none);
    EXPECT_EQ(get<Unavailable>(leased).effect, Effect::none);
    EXPECT_NE(get<Unavailable>(leased).detail.find("locked"), std::string::npos);
    EXPECT_EQ(shop.calls, 0);
    EXPECT_EQ(effects, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Modes,
    PostgresTableLock,
    testing::Values("ACCESS EXCLUSIVE", "EXCLUSIVE", "SHARE"),
    [](const auto& instance) {
        std::string name = instance.param;
        std::erase(name, ' ');
        return name;
    }
);

TEST_F(PostgresBounds, AKeyIsWaitedForLongerThanAClosureMayRun)
{
    Policy policy = brief();
    policy.duplicate_wait = 4s;
    Shop shop{server().url(), 30s, policy};
    Shop other{server().url(), 30s, policy};
    std::latch claimed{1};
    Result<Outcome> first;
    std::jthread holder{[&] {
        Policy slow = brief();
        slow.atomic_run_limit = 5s;
        Shop own{server().url(), 30s, slow};
        first = own.engine->atomically(
            request("pedidos.criar", "held"),
            [&](Transaction& transaction) -> Result<Response> {
                const auto id = transaction.insert("INSERT INTO pedidos (item) VALUES ($1)", {"a"});
                claimed.count_down();
                const auto slept = transaction.query("SELECT pg_sleep(1.5)");
                if (!id || !slept) return std::unexpected(slept.error());
                return Response{.status = 201, .headers = {}, .body = "first"};
            }
        );
    }};
    claimed.wait();

    const auto second = shop.engine->atomically(request("pedidos.criar", "held"), shop.inserting("b"));
    holder.join();

    EXPECT_EQ(get<Replayed>(second).response.body, "first");
    EXPECT_EQ(shop.count(), 1);
}

// Some wait for their statement, some for their COMMIT, some for a connection.
TEST_F(PostgresBounds, RequestsUnderWayAreToldWithinASecondOfTheEnd)
{
    Shop shop{server().url()};
    constexpr std::size_t callers = 16;  // connections are 8
    std::atomic<int> done{0};
    std::atomic<Duration> stopped_at{Duration::max()};
    std::vector<Duration> took(callers);
    {
        std::vector<std::jthread> threads;
        for (std::size_t caller = 0; caller < callers; ++caller) {
            threads.emplace_back([&, caller] {
                for (int i = 0;; ++i) {
                    const std::string key = std::to_string(caller) + "-" + std::to_string(i);
                    const Duration asked_at = system_clock().boottime();
                    const auto outcome =
                        shop.engine->atomically(request("pedidos.criar", key), shop.inserting(key));
                    const Duration now = system_clock().boottime();
                    ++done;
                    done.notify_all();
                    if (outcome && std::holds_alternative<Executed>(*outcome)) continue;
                    EXPECT_TRUE(outcome && std::holds_alternative<Unavailable>(*outcome));
                    took[caller] = now - std::max(asked_at, std::min(stopped_at.load(), now));
                    return;
                }
            });
        }
        for (int seen = done; seen < 100; seen = done) done.wait(seen);
        stopped_at = system_clock().boottime();
        server().stop();
    }
    server().start();

    for (const Duration one : took) EXPECT_LT(one, 1500ms);  // a second, and room for a busy machine
}

}  // namespace
}  // namespace umavez::faults
