// Statements and the rule of the spoiled transaction on PostgreSQL, as src/database/sqlite has
// them, and what is peculiar to this database.

#include "database/change.hpp"
#include "database/postgres/postgres_database.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

namespace umavez::pg {
namespace {

Closure sql(std::string text, Values parameters = {})
{
    return [text = std::move(text), parameters = std::move(parameters)](Transaction& transaction) {
        const auto done = transaction.execute(text, parameters);
        return done ? Result<void>{} : Result<void>{std::unexpected(done.error())};
    };
}

class PostgresTransactionTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        const auto url = parse_postgres_url(schema.url());
        auto opened = PostgresDatabase::open(*url, {.durable = false});
        ASSERT_TRUE(opened) << opened.error().detail;
        database = *std::move(opened);
        ASSERT_TRUE(transact(sql("CREATE TABLE t (a bigint UNIQUE, b text)")));
    }

    // As Database::transact, with a limit that no closure reaches on a slow machine.
    Result<void> transact(Closure closure)
    {
        RunOptions options{.savepoints = Savepoints::imagined, .run_limit = std::chrono::hours{1}};
        return wait(database->async_run(std::move(closure), options));
    }
    Result<void> read(Closure closure)
    {
        RunOptions options{.access = Access::read, .run_limit = std::chrono::hours{1}};
        return wait(database->async_run(std::move(closure), options));
    }
    std::int64_t integer(const std::string& text)
    {
        std::int64_t value = -1;
        const auto done = read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query(text);
            if (!rows) return std::unexpected(rows.error());
            value = rows->at(0).integer(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return value;
    }
    std::int64_t rows() { return integer("SELECT count(*) FROM t"); }

    test::PostgresSchema schema;
    std::unique_ptr<PostgresDatabase> database;
};

TEST_F(PostgresTransactionTest, ValuesComeBackAsTheTypesTheyWent)
{
    const Values sent = {
        std::int64_t{-7},
        2.5,
        std::string{"olá"},
        Blob{std::string{"\xff\0", 2}},
        std::monostate{},
        std::string{},
        Blob{}
    };

    const auto done = transact([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query("SELECT $1, $2, $3, $4, $5, $6, $7", sent);
        if (!rows) return std::unexpected(rows.error());
        for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(rows->at(0).value(i), sent[i]) << i;
        return {};
    });

    EXPECT_TRUE(done) << done.error().detail;
}

TEST_F(PostgresTransactionTest, OtherTypesAreReadAsTheNearestOfOurs)
{
    const auto done = transact([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query(
            "SELECT true, 3::smallint, sum(a), 1.50::numeric, '2026-01-02'::date FROM "
            "(VALUES (1::bigint), (2)) AS t (a)"
        );
        if (!rows) return std::unexpected(rows.error());
        const Row& row = rows->at(0);
        EXPECT_EQ(row.integer(0), 1);
        EXPECT_EQ(row.integer(1), 3);
        EXPECT_EQ(row.integer(2), 3);
        EXPECT_EQ(row.real(3), 1.5);
        EXPECT_EQ(row.text(4), "2026-01-02");
        return {};
    });

    EXPECT_TRUE(done) << done.error().detail;
}

TEST_F(PostgresTransactionTest, ExecuteTellsHowManyRowsItChanged)
{
    const auto done = transact([](Transaction& transaction) -> Result<void> {
        EXPECT_EQ(*transaction.execute("INSERT INTO t VALUES (1, 'x'), (2, 'x')"), 2);
        EXPECT_EQ(*transaction.execute("UPDATE t SET b = 'y' WHERE a > 5"), 0);
        EXPECT_EQ(*transaction.execute("SELECT 1"), 0);
        EXPECT_EQ(*transaction.execute("CREATE TABLE u (a integer)"), 0);
        return {};
    });

    EXPECT_TRUE(done);
}

TEST_F(PostgresTransactionTest, AChangeIsCheckedBeforeItIsCommitted)
{
    int runs = 0;
    const auto done = transact([&](Transaction& transaction) -> Result<void> {
        ++runs;
        const auto inserted = change(transaction, "INSERT INTO t VALUES (1, 'a')", {});
        if (!inserted) return inserted;
        return change(transaction, "UPDATE t SET b = 'c' WHERE a = $1", {std::int64_t{2}});
    });

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::store_unavailable);
    EXPECT_GT(runs, 1);  // again, with care
    EXPECT_EQ(rows(), 0);
}

TEST_F(PostgresTransactionTest, AChangeThatFailsIsRunAgainWhereItsErrorBelongs)
{
    ASSERT_TRUE(transact(sql("INSERT INTO t VALUES (1, 'a')")));
    int runs = 0;
    std::optional<Error> told;
    const auto done = transact([&](Transaction& transaction) -> Result<void> {
        ++runs;
        const auto twice = change(transaction, "INSERT INTO t VALUES (1, 'b')", {});
        if (!twice) told = twice.error();
        if (!twice) return twice;
        const auto asked = transaction.query("SELECT 1");
        if (!asked) return std::unexpected(asked.error());
        return {};
    });

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::unique_violation);
    EXPECT_EQ(runs, 2);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->code, Errc::unique_violation);
    EXPECT_EQ(rows(), 1);
}

TEST_F(PostgresTransactionTest, AChangeInANestedPartIsTheParts)
{
    const auto done = transact([&](Transaction& transaction) -> Result<void> {
        const auto first = change(transaction, "INSERT INTO t VALUES (1, 'a')", {});
        if (!first) return first;
        const auto part = transaction.nested([&] {
            return change(transaction, "INSERT INTO t VALUES (1, 'b')", {});
        });
        EXPECT_FALSE(part);
        return change(transaction, "INSERT INTO t VALUES (2, 'c')", {});
    });

    EXPECT_TRUE(done) << done.error().detail;
    EXPECT_EQ(rows(), 2);
}

TEST_F(PostgresTransactionTest, ManyChangesTravelTogether)
{
    const auto done = transact([&](Transaction& transaction) -> Result<void> {
        for (std::int64_t i = 0; i < 50; ++i) {
            const auto inserted = change(
                transaction, "INSERT INTO t VALUES ($1, 'row " + std::to_string(i) + "')", {i}
            );
            if (!inserted) return inserted;
        }
        const auto seen = transaction.query("SELECT count(*) FROM t");
        if (!seen) return std::unexpected(seen.error());
        EXPECT_EQ(seen->at(0).integer(0), 50);
        return change(transaction, "UPDATE t SET b = 'all'", {}, 50);
    });

    EXPECT_TRUE(done) << done.error().detail;
    EXPECT_EQ(integer("SELECT count(*) FROM t WHERE b = 'all'"), 50);
}

TEST_F(PostgresTransactionTest, InsertTellsTheIdOfItsRow)
{
    ASSERT_TRUE(
        transact(sql("CREATE TABLE u (id bigint GENERATED ALWAYS AS IDENTITY, a text UNIQUE)"))
    );

    const auto done = transact([](Transaction& transaction) -> Result<void> {
        const std::string_view insert = "INSERT INTO u (a) VALUES ($1) ON CONFLICT DO NOTHING";
        EXPECT_EQ(transaction.insert(insert, {"x"}).value(), 1);
        EXPECT_EQ(transaction.insert(insert, {"y"}).value(), 2);
        EXPECT_EQ(transaction.insert(insert, {"x"}).value(), std::nullopt);
        return {};
    });
    const auto updated = transact([](Transaction& transaction) -> Result<void> {
        const std::string_view upsert =
            "INSERT INTO u (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = excluded.a";
        EXPECT_FALSE(transaction.insert(upsert, {"x"}));
        return {};
    });

    EXPECT_TRUE(done);
    EXPECT_EQ(updated.error().code, Errc::invalid_argument);
}

TEST_F(PostgresTransactionTest, MistakesInStatementsAreToldWithoutValues)
{
    const auto error_of = [this](std::string text, Values values = {}) {
        const auto done = transact(sql(std::move(text), std::move(values)));
        EXPECT_FALSE(done);
        return done ? Error{} : done.error();
    };

    EXPECT_EQ(error_of("SELEKT 1").code, Errc::sql);
    EXPECT_EQ(error_of("SELECT $1").code, Errc::sql);
    EXPECT_EQ(error_of("SELECT 1; SELECT 2").code, Errc::sql);
    EXPECT_EQ(error_of("INSERT INTO t VALUES (\"x\", 1)").code, Errc::sql);
    EXPECT_EQ(error_of("SELECT $1::text", {std::string{"a\0b", 3}}).code, Errc::sql);

    ASSERT_TRUE(transact(sql("INSERT INTO t VALUES (1, 'kept')")));
    const Error twice = error_of("INSERT INTO t VALUES (1, $1)", {std::string{"top secret"}});
    EXPECT_EQ(twice.code, Errc::unique_violation);
    EXPECT_NE(twice.detail.find("t_a_key"), std::string::npos);
    EXPECT_EQ(twice.detail.find("top secret"), std::string::npos);
    const Error wrong = error_of("INSERT INTO t (a) VALUES ($1)", {std::string{"top secret"}});
    EXPECT_EQ(wrong.code, Errc::sql);
    EXPECT_EQ(wrong.detail.find("top secret"), std::string::npos);
}

TEST_F(PostgresTransactionTest, TransactionControlBelongsToUmavez)
{
    for (const char* const text :
         {"COMMIT",
          "  rollback",
          "/* x */ BEGIN",
          "SAVEPOINT x",
          "SET synchronous_commit = off",
          "-- x\nEND",
          "COPY t TO STDOUT"}) {
        const auto done = transact(sql(text));
        ASSERT_FALSE(done) << text;
        EXPECT_EQ(done.error().code, Errc::sql) << done.error().detail;
    }
}

TEST_F(PostgresTransactionTest, ErrorOrExceptionOfTheClosureUndoesItsStatements)
{
    const auto done = transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'x')"));
        return fail(Errc::invalid_argument, "no");
    });
    const auto thrower = [](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'x')"));
        throw std::runtime_error{"boom"};
    };

    EXPECT_EQ(done.error().code, Errc::invalid_argument);
    EXPECT_THROW(static_cast<void>(transact(thrower)), std::runtime_error);
    EXPECT_EQ(rows(), 0);
}

TEST_F(PostgresTransactionTest, OverlookedErrorSpoilsTheClosure)
{
    const auto done = transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'x')"));
        EXPECT_FALSE(transaction.execute("INSERT INTO t VALUES (1, 'again')"));
        EXPECT_TRUE(transaction.is_spoiled());
        EXPECT_FALSE(transaction.execute("INSERT INTO t VALUES (2, 'after')"));
        return {};
    });

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::unique_violation);
    EXPECT_EQ(rows(), 0);
}

TEST_F(PostgresTransactionTest, NestedErrorUndoesOnlyTheNestedPart)
{
    const auto done = transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'kept')"));
        const auto nested = transaction.nested([&]() -> Result<void> {
            EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (2, 'undone')"));
            const auto again = transaction.execute("INSERT INTO t VALUES (1, 'again')");
            return std::unexpected(again.error());
        });
        EXPECT_EQ(nested.error().code, Errc::unique_violation);
        EXPECT_FALSE(transaction.is_spoiled());
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (3, 'kept')"));
        const auto overlooked = transaction.nested([&]() -> Result<void> {
            static_cast<void>(transaction.execute("INSERT INTO t VALUES (1, 'again')"));
            return {};
        });
        EXPECT_EQ(overlooked.error().code, Errc::unique_violation);
        return {};
    });

    EXPECT_TRUE(done) << done.error().detail;
    EXPECT_EQ(integer("SELECT sum(a) FROM t"), 4);
}

TEST_F(PostgresTransactionTest, LastNestedPartIsUndoneEvenIfNothingFollows)
{
    const auto done = transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'kept')"));
        static_cast<void>(transaction.nested([&]() -> Result<void> {
            EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (2, 'undone')"));
            return fail(Errc::invalid_argument, "no");
        }));
        return {};
    });

    EXPECT_TRUE(done) << done.error().detail;
    EXPECT_EQ(integer("SELECT sum(a) FROM t"), 1);
}

TEST_F(PostgresTransactionTest, ReadOnlyTransactionRefusesToWrite)
{
    const auto done = read(sql("INSERT INTO t VALUES (1, 'x')"));

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::sql) << done.error().detail;
    EXPECT_EQ(rows(), 0);
}

TEST_F(PostgresTransactionTest, DatabaseCallsInsideAClosureFailAtOnce)
{
    const auto done = transact([this](Transaction&) -> Result<void> {
        const auto nothing = [](Transaction&) -> Result<void> { return {}; };
        EXPECT_EQ(database->transact(nothing).error().code, Errc::wrong_thread);
        EXPECT_EQ(database->read(nothing).error().code, Errc::wrong_thread);
        EXPECT_EQ(database->backup("/nowhere").error().code, Errc::wrong_thread);
        return {};
    });

    EXPECT_TRUE(done);
}

TEST_F(PostgresTransactionTest, CacheOfStatementsIsBounded)
{
    for (std::size_t i = 0; i < 2 * tuning::statements_cached_max; ++i) {
        ASSERT_TRUE(transact(sql("SELECT " + std::to_string(i))));
    }
    EXPECT_TRUE(transact(sql("SELECT 0")));
}

TEST_F(PostgresTransactionTest, ClosureThatTakesTooLongIsInterrupted)
{
    const auto done = database->transact(sql("SELECT pg_sleep(60)"));

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::store_unavailable);
    EXPECT_TRUE(transact(sql("INSERT INTO t VALUES (1, 'x')")));
}

// It took the idle connections of every purpose along, and all had to be made anew.
TEST_F(PostgresTransactionTest, ClosureThatTakesTooLongCostsOthersNoConnectionAndTheServerNoWork)
{
    const std::int64_t reader = integer("SELECT pg_backend_pid()");

    EXPECT_FALSE(database->transact(sql("SELECT pg_sleep(60) /* overrun */")));

    EXPECT_EQ(integer("SELECT pg_backend_pid()"), reader);
    // The server looks every second whether its client is still there.
    const std::string still =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND "
        "query LIKE '%pg_sleep(60)%overrun%' AND pid <> pg_backend_pid()";
    test::wait_until("the server has ended the statement", [&] { return integer(still) == 0; });
}

TEST_F(PostgresTransactionTest, SchemaThatChangesUnderAPreparedStatementIsNoticed)
{
    const auto select = sql("SELECT * FROM t");
    ASSERT_TRUE(transact(select));
    ASSERT_TRUE(transact(sql("ALTER TABLE t ADD COLUMN c text")));

    const auto done = transact(select);

    EXPECT_TRUE(done) << done.error().detail;
}

TEST_F(PostgresTransactionTest, TimeIsTheServersAndTheSameDuringAClosure)
{
    const std::string seconds = "SELECT floor(extract(epoch FROM clock_timestamp()))::bigint";
    const std::int64_t before = integer(seconds);
    Instant inside;
    const auto done = transact([&](Transaction& transaction) -> Result<void> {
        inside = transaction.now();
        EXPECT_TRUE(transaction.query("SELECT pg_sleep(0.01)"));
        EXPECT_EQ(transaction.now(), inside);
        return {};
    });
    const std::int64_t after = integer(seconds);

    EXPECT_TRUE(done);
    EXPECT_GE(to_micros(inside) / 1'000'000, before);
    EXPECT_LE(to_micros(inside) / 1'000'000, after);
}

}  // namespace
}  // namespace umavez::pg
