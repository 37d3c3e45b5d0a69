// Opening, migrations, and a server that goes away.

#include "database/postgres/postgres_database.hpp"
#include "support/patiently.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <mutex>
#include <thread>

namespace umavez::pg {
namespace {

Result<std::unique_ptr<PostgresDatabase>> open(
    const std::string& url, DatabaseOptions options = {.durable = false}
)
{
    const auto parsed = parse_postgres_url(url);
    if (!parsed) return std::unexpected(parsed.error());
    return PostgresDatabase::open(*parsed, options);
}

Closure nothing()
{
    return [](Transaction& transaction) -> Result<void> {
        const auto done = transaction.execute("UPDATE umavez_meta SET checks = checks + 1");
        return done ? Result<void>{} : Result<void>{std::unexpected(done.error())};
    };
}

const Migration first{.module = "m", .version = 1, .sql = "CREATE TABLE m1 (a int); SELECT 1"};
const Migration second{.module = "m", .version = 2, .sql = "CREATE TABLE m2 (a int)"};

TEST(PostgresOpen, SeveralProcessesMayPrepareTheDatabaseAtOnce)
{
    const test::PostgresSchema schema;
    const std::array migrations = {first, second};
    std::vector<std::future<Result<void>>> openers;

    for (int i = 0; i < 8; ++i) {
        openers.push_back(std::async(std::launch::async, [&]() -> Result<void> {
            auto database = open(schema.url("umavez_connections=2"));
            if (!database) return std::unexpected(database.error());
            return (*database)->migrate(migrations);
        }));
    }

    for (auto& opener : openers) {
        const auto done = opener.get();
        EXPECT_TRUE(done) << done.error().detail;
    }
}

TEST(PostgresOpen, NewerSchemaIsRefused)
{
    const test::PostgresSchema schema;
    const auto newer = open(schema.url());
    ASSERT_TRUE(newer) << newer.error().detail;
    ASSERT_TRUE((*newer)->migrate(std::array{first, second}));

    const auto older = (*newer)->migrate(std::array{first});

    ASSERT_FALSE(older);
    EXPECT_EQ(older.error().code, Errc::misconfigured);
    EXPECT_EQ((*newer)->migration_state(std::array{first})->at(0).applied, 2);
}

TEST(PostgresOpen, FailedStepLeavesNothing)
{
    const test::PostgresSchema schema;
    const auto database = open(schema.url());
    const Migration broken{.module = "m", .version = 1, .sql = "CREATE TABLE m1 (a int); SELEKT"};

    EXPECT_FALSE((*database)->migrate(std::array{broken}));

    EXPECT_TRUE((*database)->migrate(std::array{first}));
}

TEST(PostgresOpen, DatabaseThatMustExistIsNotPrepared)
{
    const test::PostgresSchema schema;

    EXPECT_EQ(
        open(schema.url(), {.durable = false, .must_exist = true}).error().code, Errc::misconfigured
    );
    ASSERT_TRUE(open(schema.url()));
    EXPECT_TRUE(open(schema.url(), {.durable = false, .must_exist = true}));
}

TEST(PostgresOpen, ServerThatMayLoseCommitsIsRefused)
{
    const test::PostgresSchema schema;

    const auto refused = open(schema.url(), {});

    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().detail.find("fsync"), std::string::npos) << refused.error().detail;
}

TEST(PostgresOpen, RoleWithoutRightsOnTheSchemaServesWhatIsPrepared)
{
    const test::PostgresSchema schema;
    test::PostgresServer& server = test::shared_postgres();
    {
        const auto owner = open(schema.url());
        ASSERT_TRUE((*owner)->migrate(std::array{first}));
    }
    const std::string name =
        server.run("SELECT max(nspname) FROM pg_namespace WHERE nspname LIKE 'test_%'");
    server.run(
        "DROP ROLE IF EXISTS app; CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA " + name +
        " TO app; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + name + " TO app"
    );

    const auto database = open(schema.url("user=app"));

    ASSERT_TRUE(database) << database.error().detail;
    EXPECT_TRUE((*database)->migrate(std::array{first}));
    EXPECT_TRUE((*database)->health().reachable);
    const auto more = (*database)->migrate(std::array{first, second});
    ASSERT_FALSE(more);
    EXPECT_NE(more.error().detail.find("role"), std::string::npos) << more.error().detail;
}

TEST(PostgresOpen, ARefusalIsASettingAndAServerThatIsAwayIsNot)
{
    test::PostgresServer& server = test::shared_postgres();

    const auto no_database = open(server.url("dbname=nowhere"));
    const auto no_role = open(server.url("user=nobody"));
    const auto away = open("postgres://u@127.0.0.1:1/d");
    const auto both = open("postgres://u@127.0.0.1:1,127.0.0.1:2/d");

    ASSERT_FALSE(no_database || no_role || away || both);
    EXPECT_EQ(no_database.error().code, Errc::misconfigured);
    EXPECT_NE(no_database.error().detail.find("refused"), std::string::npos);
    EXPECT_EQ(no_database.error().detail.find("LOCATION"), std::string::npos);
    EXPECT_EQ(no_role.error().code, Errc::misconfigured);
    EXPECT_NE(no_role.error().detail.find("28000"), std::string::npos);
    EXPECT_EQ(away.error().code, Errc::store_unavailable);
    EXPECT_NE(away.error().detail.find("cannot be reached"), std::string::npos);
    EXPECT_EQ(both.error().code, Errc::store_unavailable);
    EXPECT_NE(both.error().detail.find("127.0.0.1:1: "), std::string::npos);
    EXPECT_NE(both.error().detail.find("127.0.0.1:2: "), std::string::npos);
}

TEST(PostgresOpen, PoolerModeKeepsNoSessionState)
{
    const test::PostgresSchema schema;
    const auto database = open(schema.url("umavez_pooler=transaction&umavez_connections=1"));
    ASSERT_TRUE(database) << database.error().detail;

    const auto done = (*database)->transact([](Transaction& transaction) -> Result<void> {
        const auto named = transaction.query("SELECT count(*) FROM pg_prepared_statements");
        EXPECT_EQ(named->at(0).integer(0), 0);
        const auto lock = transaction.query("SELECT current_setting('lock_timeout')");
        EXPECT_EQ(lock->at(0).text(0), "1s");
        return {};
    });

    EXPECT_TRUE(done) << done.error().detail;
}

TEST(PostgresAway, CallersAreToldWithinASecondAndServedAfterTheReturn)
{
    test::PostgresServer server{{.durable = true}};
    const auto database = open(server.url(), {});
    ASSERT_TRUE(database) << database.error().detail;
    ASSERT_TRUE(test::patiently("it serves", [&] { return (*database)->transact(nothing()); }));

    server.kill();
    // A busy machine tells some of them late, but not all.
    test::wait_until("a caller is told within a second", [&] {
        const Duration asked_at = system_clock().boottime();
        const auto away = (*database)->transact(nothing());
        const Duration took = system_clock().boottime() - asked_at;
        EXPECT_FALSE(away);
        EXPECT_TRUE(away || away.error().code == Errc::store_unavailable);
        return took < std::chrono::seconds{1};
    });
    server.start();
    test::wait_until("callers are served again", [&] {
        return (*database)->transact(nothing()).has_value();
    });
}

TEST(PostgresAway, BusyConnectionsAreWaitedForAndThenTold)
{
    const test::PostgresSchema schema;
    const auto database = open(schema.url("umavez_connections=1"));
    std::promise<void> entered;
    std::promise<void> leave;
    std::once_flag is_first;  // the server may end a transaction that waits: it is run again
    std::thread holder{[&, left = leave.get_future().share()] {
        static_cast<void>((*database)->transact([&](Transaction& transaction) -> Result<void> {
            static_cast<void>(transaction.now());
            std::call_once(is_first, [&] { entered.set_value(); });
            left.wait();
            return {};
        }));
    }};
    EXPECT_TRUE(test::is_met("the connection is taken", entered.get_future()));

    const auto refused = (*database)->transact(nothing());
    const auto read = (*database)->read([](Transaction& transaction) -> Result<void> {
        static_cast<void>(transaction.now());
        return {};
    });
    leave.set_value();
    holder.join();

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::store_unavailable);
    EXPECT_TRUE(read);
    EXPECT_TRUE(test::patiently("its connection is free", [&] {
        return (*database)->transact(nothing());
    }));
}

}  // namespace
}  // namespace umavez::pg
