// A real PgBouncer in transaction mode between the program and PostgreSQL: fewer server connections than
// clients, so that no two transactions of a client are sure to meet the same one.

#include "support/pgbouncer.hpp"

#include "faults/shop.hpp"

#include <fmt/format.h>

#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace umavez::faults {
namespace {

class Pooled : public ::testing::Test {
protected:
    static test::PostgresServer& server()
    {
        static test::PostgresServer one{{.durable = true, .listens = true}};
        return one;
    }
    static test::PgBouncer& pooler()
    {
        static test::PgBouncer one{server(), 3};
        return one;
    }
    void SetUp() override { server().run("DROP SCHEMA public CASCADE; CREATE SCHEMA public"); }

    static std::string url() { return pooler().url("umavez_pooler=transaction"); }
};

TEST_F(Pooled, ClaimsCompletionsAndClosuresOfManyCallersShareFewConnections)
{
    Shop shop{url()};
    constexpr int callers = 8;
    constexpr int keys = 20;
    std::mutex mutex;
    std::set<std::string> sent;  // by effect key: a run that was taken over may come twice
    {
        std::vector<std::jthread> threads;
        for (int caller = 0; caller < callers; ++caller) {
            threads.emplace_back([&, caller] {
                for (int i = 0; i < keys; ++i) {
                    const std::string key = fmt::format("{}-{}", caller, i);
                    const auto send = [&](Lease& lease) {
                        const std::lock_guard guard{mutex};
                        sent.insert(lease.effect_key());
                        return Response{.status = 202, .headers = {}, .body = key};
                    };
                    static_cast<void>(until_told([&] {
                        return shop.engine->atomically(
                            request("pedidos.criar", key), shop.inserting(key)
                        );
                    }));
                    static_cast<void>(until_told([&] {
                        return shop.engine->leased(request("enviar", key), send);
                    }));
                }
            });
        }
    }

    EXPECT_EQ(shop.count(), callers * keys);
    EXPECT_EQ(sent.size(), static_cast<std::size_t>(callers * keys));
    const auto again = until_told([&] {
        return shop.engine->atomically(request("pedidos.criar", "0-0"), shop.inserting("x"));
    });
    EXPECT_EQ(get<Replayed>(again).response.body, "made 0-0");
    EXPECT_EQ(shop.count("SELECT count(*) FROM pg_prepared_statements"), 0);
}

TEST_F(Pooled, HeartbeatsKeepALeaseThatIsShorterThanItsRun)
{
    constexpr Duration lease = 12s;  // of which a disk may take two thirds for a heartbeat
    Shop shop{url(), lease};
    Shop other{url(), lease};
    int stolen = 0;

    const auto outcome = shop.engine->leased(request("enviar", "long"), [&](Lease& held) {
        const auto expiry = [&] {
            const auto story = other.engine->explain(held.id());
            return story && story->record ? *story->record->processing_expires_at : Instant{};
        };
        Instant of_claim{};
        test::wait_until("the lease is seen", [&] { return (of_claim = expiry()) > Instant{}; });
        test::wait_until("a heartbeat is written", [&] { return expiry() > of_claim; });
        const auto second = other.engine->leased(request("enviar", "long"), [&](Lease&) {
            ++stolen;
            return Response{.status = 202};
        });
        EXPECT_TRUE(second && !std::holds_alternative<Executed>(*second));
        return Response{.status = 202, .headers = {}, .body = "mine"};
    });

    EXPECT_EQ(get<Executed>(outcome).response.body, "mine");
    EXPECT_EQ(stolen, 0);
}

TEST_F(Pooled, HolderOfAKeyIsWaitedForAndThenTold)
{
    Shop shop{url()};
    Shop other{url()};
    Result<Outcome> second;

    const auto first = shop.engine->atomically(
        request("pedidos.criar", "held"),
        [&](Transaction& transaction) -> Result<Response> {
            const auto id = transaction.insert("INSERT INTO pedidos (item) VALUES ($1)", {"a"});
            if (!id) return std::unexpected(id.error());
            std::jthread{[&] {
                // A stall may end its patience with the store before that with the key.
                static_cast<void>(test::is_met("it is told that the first is running", [&] {
                    second = other.engine->atomically(
                        request("pedidos.criar", "held"), other.inserting("b")
                    );
                    return !second || !std::holds_alternative<Unavailable>(*second);
                }));
            }}.join();
            return Response{.status = 201};
        }
    );

    get<Executed>(first);
    get<InProgress>(second);
    EXPECT_EQ(other.calls, 0);
    EXPECT_EQ(shop.count(), 1);
}

TEST_F(Pooled, MigrationsAreMadeThroughItAndANewerSchemaIsRefused)
{
    {
        const Shop prepared{url()};
    }  // and it made its tables
    server().run(
        "INSERT INTO umavez_migrations (module, version, applied_at) VALUES ('umavez', 999, 1)"
    );

    try {
        const Shop older{url()};
        FAIL() << "it opened";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string{error.what()}.find("999"), std::string::npos) << error.what();
    }
}

// Without the switch its prepared statements would go astray: it is told at once, not some day.
TEST_F(Pooled, WithoutTheSwitchItIsRefusedAtTheStart)
{
    const test::PgBouncer silent{server(), 3, "ignore_startup_parameters = options"};
    for (const test::PgBouncer* const one :
         {static_cast<const test::PgBouncer*>(&pooler()), &silent}) {
        const auto opened = test::patiently("the database is refused", [&] {
            return open_database(one->url(""), {});
        });

        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, Errc::misconfigured);
        EXPECT_NE(opened.error().detail.find("umavez_pooler=transaction"), std::string::npos)
            << opened.error().detail;
    }
}

// The server does not see that the client is gone: a pooler stands between.
TEST_F(Pooled, ServerStopsWorkingForAClosureThatTookTooLong)
{
    const Shop shop{url()};

    const auto overrun = shop.database->transact([](Transaction& transaction) -> Result<void> {
        const auto slept = transaction.query("SELECT pg_sleep(3600) /* overrun */");
        return slept ? Result<void>{} : Result<void>{std::unexpected(slept.error())};
    });

    ASSERT_FALSE(overrun);
    EXPECT_EQ(overrun.error().code, Errc::store_unavailable);
    const std::string still =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND "
        "query LIKE '%pg_sleep(3600)%overrun%' AND pid <> pg_backend_pid()";
    test::wait_until("the server stops working for it", [&] { return server().run(still) == "0"; });
}

TEST_F(Pooled, ServerThatIsKilledBehindItLosesNothingAcknowledged)
{
    Shop shop{url(), 30s, Policy{}};  // the pooler waits for a server: the limit of a run ends that
    static_cast<void>(until_told([&] {
        return shop.engine->atomically(request("pedidos.criar", "before"), shop.inserting("a"));
    }));

    server().kill();
    const auto down =
        shop.engine->atomically(request("pedidos.criar", "down"), shop.inserting("b"));
    server().start();
    const auto back = until_told([&] {
        return shop.engine->atomically(request("pedidos.criar", "down"), shop.inserting("b"));
    });

    get<Unavailable>(down);
    EXPECT_EQ(body_told(back), "made b");
    const auto before = until_told([&] {
        return shop.engine->atomically(request("pedidos.criar", "before"), shop.inserting("a"));
    });
    EXPECT_EQ(get<Replayed>(before).response.body, "made a");
    EXPECT_EQ(shop.count(), 2);
}

}  // namespace
}  // namespace umavez::faults
