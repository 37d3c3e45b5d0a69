// How long callers wait when PostgreSQL says nothing: it is frozen, its standby is missing, somebody locked
// the table, or it stops. Each has a bound, and nobody is told more than is known.

#include "faults/shop.hpp"
#include "support/postgres_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
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

    // Until one of its calls, with a key of its own, ends in time with an unknown effect: that the
    // machine stood still, or that the call was given up before it came to its COMMIT, says nothing
    // of the program; that each of many did so, for as long as a wait lasts, is not believed. `call`
    // brings the server to silence and back. Whoever is told was told the truth.
    template <typename Call>
    Result<Outcome> until_unknown_in_time(Shop& shop, Duration limit, Call call)
    {
        constexpr int tries_min = 5;
        Result<Outcome> outcome = InProgress{};
        const Duration until = system_clock().boottime() + test::wait_limit();
        for (int i = 0; i < tries_min || system_clock().boottime() < until; ++i) {
            key = "k" + std::to_string(++keys);
            const Duration took = call(outcome);
            const auto* const told = outcome ? std::get_if<Unavailable>(&*outcome) : nullptr;
            if (told == nullptr) return outcome;
            EXPECT_LE(count_of_last(shop), told->effect == Effect::none ? 0 : 1) << key;
            if (told->effect == Effect::unknown && took < limit) return outcome;
        }
        ADD_FAILURE() << "no call ended in time with an unknown effect";
        return outcome;
    }
    template <typename Call>
    static Duration time_of(Call call)
    {
        const Duration asked_at = system_clock().boottime();
        call();
        return system_clock().boottime() - asked_at;
    }
    // How long after the server's end each caller was told.
    static std::vector<Duration> end_under_load(Shop& shop, int round)
    {
        constexpr std::size_t callers = 16;  // connections are 8
        std::atomic<int> done{0};
        std::atomic<Duration> stopped_at{Duration::max()};
        std::vector<Duration> took(callers);
        {
            std::vector<std::jthread> threads;
            for (std::size_t caller = 0; caller < callers; ++caller) {
                threads.emplace_back([&, caller] {
                    for (int i = 0;; ++i) {
                        const Duration asked_at = system_clock().boottime();
                        const auto outcome =
                            insert(shop, fmt::format("{}-{}-{}", round, caller, i));
                        const Duration now = system_clock().boottime();
                        ++done;
                        if (outcome && std::holds_alternative<Executed>(*outcome)) continue;
                        EXPECT_TRUE(outcome && std::holds_alternative<Unavailable>(*outcome));
                        // A stall before the end is told, too.
                        if (stopped_at.load() == Duration::max()) continue;
                        took[caller] = now - std::max(asked_at, std::min(stopped_at.load(), now));
                        return;
                    }
                });
            }
            static_cast<void>(test::is_met("requests are under way", [&] { return done >= 100; }));
            stopped_at = system_clock().boottime();
            server().stop();
        }
        server().start();
        return took;
    }
    std::int64_t count_of_last(Shop& shop) const
    {
        return shop.count("SELECT count(*) FROM pedidos WHERE item = '" + key + "'");
    }
    static Result<Outcome> insert(Shop& shop, const std::string& item)
    {
        return shop.engine->atomically(request("pedidos.criar", item), shop.inserting(item));
    }

    std::string key;  // of the last call
    int keys = 0;
};

TEST_F(PostgresBounds, ACommitThatAFrozenServerDoesNotAnswerIsUnknownInTime)
{
    Shop shop{server().url(), 30s, brief()};
    const auto freeze_in_it = [&](Transaction& transaction) -> Result<Response> {
        const auto id = transaction.insert("INSERT INTO pedidos (item) VALUES ($1)", {key});
        if (!id) return std::unexpected(id.error());
        server().freeze(true);
        return Response{.status = 201, .headers = {}, .body = "made"};
    };

    const auto outcome = until_unknown_in_time(shop, bound + slack, [&](Result<Outcome>& told) {
        const Duration took = time_of([&] {
            told = shop.engine->atomically(request("pedidos.criar", key), freeze_in_it);
        });
        server().freeze(false);
        return took;
    });

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
    static_cast<void>(until_told([&] { return insert(shop, key); }));
    EXPECT_EQ(count_of_last(shop), 1);
}

TEST_F(PostgresBounds, ACommitWhoseStandbyIsMissingIsUnknownInTimeAndFoundLater)
{
    Shop shop{server().url(), 30s, brief()};
    static_cast<void>(until_told([&] { return insert(shop, "k0"); }));
    std::string waiting;

    const auto outcome = until_unknown_in_time(shop, bound + slack, [&](Result<Outcome>& told) {
        server().require_standby("nobody");
        const Duration took = time_of([&] { told = insert(shop, key); });
        waiting =
            server().run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        server().require_standby("");
        return took;
    });
    const auto retry = until_told([&] { return insert(shop, key); });

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
    EXPECT_EQ(waiting, "1");  // the first is kept, and its read-back writes nothing
    EXPECT_EQ(get<Replayed>(retry).response.body, "made " + key);
    EXPECT_EQ(count_of_last(shop), 1);
}

// The COMMIT waits for its standby, its read-back for the COMMIT; then the server freezes. That the read-back
// came to nothing does not say that the first run did.
TEST_F(PostgresBounds, AReadBackThatIsLostLeavesTheCommitUnknown)
{
    Shop shop{server().url(), 30s, brief()};
    static_cast<void>(until_told([&] { return insert(shop, "k0"); }));
    const auto is_read_back = [] {
        const std::string sql =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        return server().run(sql) != "0";
    };
    Result<Outcome> outcome;

    // A call that ended before its read-back was seen proves nothing.
    test::wait_until("the server freezes in a read-back", [&] {
        bool is_frozen_in_it = false;
        std::atomic<bool> is_over{false};
        key = "k" + std::to_string(++keys);
        server().require_standby("nobody");
        {
            const std::jthread caller{[&] {
                outcome = insert(shop, key);
                is_over = true;
            }};
            const bool is_seen = test::is_met("the call comes to something", [&] {
                return is_over || is_read_back();
            });
            server().freeze(true);
            is_frozen_in_it = is_seen && !is_over;
        }
        server().freeze(false);
        server().require_standby("");
        return is_frozen_in_it;
    });

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
}

// Requests that go on coming do not fill the server with commits that wait.
TEST_F(PostgresBounds, CommitsThatWaitForAStandbyAreNoMoreThanConnections)
{
    Policy policy;
    policy.atomic_run_limit = 200ms;
    policy.duplicate_wait = 100ms;
    Shop shop{server().url("umavez_connections=2"), 30s, policy};
    static_cast<void>(until_told([&] { return insert(shop, "k0"); }));
    server().require_standby("nobody");
    for (int i = 1; i <= 5; ++i) get<Unavailable>(insert(shop, "k" + std::to_string(i)));
    const std::string waiting =
        server().run("SELECT count(*) <= 2 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    server().require_standby("");

    EXPECT_EQ(waiting, "t");
    get<Executed>(until_told([&] { return insert(shop, "k" + std::to_string(++keys + 5)); }));
}

TEST_F(PostgresBounds, AClaimThatAFrozenServerDoesNotAnswerIsUnknownInTime)
{
    Shop shop{server().url(), 30s, Policy{}, EngineOptions{}.store_patience};
    int effects = 0;
    const auto send = [&](Lease&) {
        ++effects;
        return Response{.status = 202};
    };
    static_cast<void>(until_told([&] {
        return shop.engine->leased(request("enviar", "warm"), send);
    }));
    effects = 0;

    const auto outcome = until_unknown_in_time(shop, 9s, [&](Result<Outcome>& told) {
        server().freeze(true);
        const Duration took =
            time_of([&] { told = shop.engine->leased(request("enviar", key), send); });
        server().freeze(false);
        return took;
    });

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
    EXPECT_EQ(effects, 0);
}

class PostgresTableLock : public PostgresBounds, public testing::WithParamInterface<const char*> {
protected:
    struct Cancelling {
        Cancelling() = default;
        ~Cancelling()
        {
            server().run(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE "
                "'%pg_sleep(3600)%' AND pid <> pg_backend_pid()"
            );
        }
        Cancelling(const Cancelling&) = delete;
        Cancelling& operator=(const Cancelling&) = delete;
    };
};

// The table is locked, by a VACUUM FULL or a CREATE INDEX say: that is no other request under the key.
TEST_P(PostgresTableLock, IsUnavailableAndNotInProgress)
{
    Shop shop{server().url(), 30s, brief()};
    std::jthread holder{[&] {
        try {
            server().run(fmt::format(
                "BEGIN; LOCK TABLE umavez_records IN {} MODE; SELECT pg_sleep(3600)", GetParam()
            ));
        } catch (const std::runtime_error&) {
            // It is cancelled below.
        }
    }};
    const Cancelling at_the_end;  // also where a wait ends the case
    const std::string is_held =
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE%pg_sleep(3600)' "
        "AND wait_event = 'PgSleep'";
    test::wait_until("the table is locked", [&] { return server().run(is_held) != "0"; });
    int effects = 0;

    const auto atomic =
        shop.engine->atomically(request("pedidos.criar", "k1"), shop.inserting("a"));
    const auto leased = shop.engine->leased(request("enviar", "k1"), [&](Lease&) {
        ++effects;
        return Response{.status = 202};
    });

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
    policy.duplicate_wait = 1h;
    Shop shop{server().url(), 30s, policy};
    Shop own{server().url()};
    std::atomic<bool> is_claimed{false};
    const auto hold = [&](Transaction& transaction) -> Result<Response> {
        const auto id = transaction.insert("INSERT INTO pedidos (item) VALUES ($1)", {key});
        if (!id) return std::unexpected(id.error());
        is_claimed = true;
        const auto slept = transaction.query("SELECT pg_sleep(1.5)");
        if (!slept) return std::unexpected(slept.error());
        return Response{.status = 201, .headers = {}, .body = "first"};
    };
    Result<Outcome> second = InProgress{};

    // A stall may take its second from the one that waits: then the same is done with another key.
    test::wait_until("the key is waited for", [&] {
        key = "k" + std::to_string(++keys);
        is_claimed = false;
        const std::jthread holder{[&] {
            const auto first = own.engine->atomically(request("pedidos.criar", key), hold);
            EXPECT_TRUE(first) << first.error().detail;
        }};
        if (!test::is_met("the key is held", [&] { return is_claimed.load(); })) return true;
        second = insert(shop, key);
        return !second || !std::holds_alternative<Unavailable>(*second);
    });

    EXPECT_EQ(get<Replayed>(second).response.body, "first");
    EXPECT_EQ(count_of_last(shop), 1);
}

// Some wait for their statement, some for their COMMIT, some for a connection. One end of the
// server of which all are told so soon is enough: that the machine stood still says nothing of the
// program. Whoever waited for a limit of its own would take two seconds and more.
TEST_F(PostgresBounds, RequestsUnderWayAreToldWithinASecondOfTheEnd)
{
    Shop shop{server().url(), 30s, Policy{}};
    int rounds = 0;
    test::wait_until("all are told within a second and a half", [&] {
        const std::vector<Duration> took = end_under_load(shop, ++rounds);
        return std::ranges::all_of(took, [](Duration one) { return one < 1500ms; });
    });
}

}  // namespace
}  // namespace umavez::faults
