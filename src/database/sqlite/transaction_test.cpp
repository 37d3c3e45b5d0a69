// Statements and the rule of the spoiled transaction, on a database in memory without threads.

#include "database/sqlite/test_support.hpp"

namespace umavez {
namespace {

using test::open_or_fail;
using test::read_integer;
using test::sql;

class SqliteTransactionTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        database = open_or_fail("sqlite::memory:", {.threads = false});
        ASSERT_TRUE(database->transact(sql("CREATE TABLE t (a INTEGER UNIQUE, b TEXT) STRICT")));
    }

    std::int64_t rows() { return read_integer(*database, "SELECT count(*) FROM t"); }

    std::unique_ptr<SqliteDatabase> database;
};

TEST_F(SqliteTransactionTest, ValuesComeBackAsTheTypesTheyWent)
{
    const Values sent = {
        std::int64_t{-7},
        2.5,
        std::string{"a\0b", 3},
        Blob{std::string{"\xff\0", 2}},
        std::monostate{},
        std::string{},
        Blob{}
    };

    const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query("SELECT $1, $2, $3, $4, $5, $6, $7", sent);
        EXPECT_EQ(rows->size(), 1u);
        for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(rows->at(0).value(i), sent[i]) << i;
        return {};
    });

    EXPECT_TRUE(done);
}

TEST_F(SqliteTransactionTest, ParametersAreFoundByNumberNotByOrder)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        const auto rows =
            transaction.query("SELECT $2, $1, $2", {std::int64_t{1}, std::int64_t{2}});
        EXPECT_EQ(rows->at(0).integer(0), 2);
        EXPECT_EQ(rows->at(0).integer(1), 1);
        EXPECT_EQ(rows->at(0).integer(2), 2);
        return {};
    });

    EXPECT_TRUE(done);
}

TEST_F(SqliteTransactionTest, ExecuteTellsHowManyRowsItChanged)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        EXPECT_EQ(*transaction.execute("INSERT INTO t VALUES (1, 'x'), (2, 'x')"), 2);
        EXPECT_EQ(*transaction.execute("UPDATE t SET b = 'y' WHERE a > 5"), 0);
        EXPECT_EQ(*transaction.execute("SELECT 1"), 0);
        EXPECT_EQ(*transaction.execute("CREATE TABLE u (a INTEGER)"), 0);
        return {};
    });

    EXPECT_TRUE(done);
}

TEST_F(SqliteTransactionTest, InsertTellsTheIdOfItsRow)
{
    ASSERT_TRUE(database->transact(sql("CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT UNIQUE)")));

    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        const std::string_view insert = "INSERT INTO u (a) VALUES ($1) ON CONFLICT DO NOTHING";
        EXPECT_EQ(transaction.insert(insert, {"x"}).value(), 1);
        EXPECT_EQ(transaction.insert(insert, {"y"}).value(), 2);
        EXPECT_EQ(transaction.insert(insert, {"x"}).value(), std::nullopt);
        return {};
    });
    const auto updated = database->transact([](Transaction& transaction) -> Result<void> {
        const std::string_view upsert =
            "INSERT INTO u (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = a";
        EXPECT_FALSE(transaction.insert(upsert, {"x"}));
        return {};
    });

    EXPECT_TRUE(done);
    EXPECT_EQ(updated.error().code, Errc::invalid_argument);
}

TEST_F(SqliteTransactionTest, MistakesInStatementsAreToldWithoutValues)
{
    const auto error_of = [this](std::string text, Values values = {}) {
        const auto done = database->transact(sql(std::move(text), std::move(values)));
        EXPECT_FALSE(done);
        return done ? Error{} : done.error();
    };

    EXPECT_EQ(error_of("SELEKT 1").code, Errc::sql);
    EXPECT_EQ(error_of("SELECT ?1", {std::int64_t{1}}).code, Errc::sql);
    EXPECT_EQ(error_of("SELECT :name", {std::int64_t{1}}).code, Errc::sql);
    EXPECT_EQ(error_of("SELECT $1").code, Errc::sql);
    EXPECT_EQ(error_of("SELECT 1; SELECT 2").code, Errc::sql);
    EXPECT_EQ(error_of("").code, Errc::sql);
    EXPECT_EQ(error_of("INSERT INTO t VALUES (\"x\", 1)").code, Errc::sql);

    ASSERT_TRUE(database->transact(sql("INSERT INTO t VALUES (1, 'kept')")));
    const Error twice = error_of("INSERT INTO t VALUES (1, $1)", {std::string{"top secret"}});
    EXPECT_EQ(twice.code, Errc::unique_violation);
    EXPECT_NE(twice.detail.find("t.a"), std::string::npos);
    EXPECT_EQ(twice.detail.find("top secret"), std::string::npos);
}

TEST_F(SqliteTransactionTest, TransactionControlBelongsToTheLane)
{
    for (const char* const text :
         {"COMMIT",
          "ROLLBACK",
          "BEGIN",
          "SAVEPOINT x",
          "PRAGMA synchronous = OFF",
          "ATTACH ':memory:' AS x"}) {
        const auto done = database->transact(sql(text));
        ASSERT_FALSE(done) << text;
        EXPECT_EQ(done.error().code, Errc::sql) << done.error().detail;
    }
}

TEST_F(SqliteTransactionTest, ErrorOfTheClosureUndoesItsStatements)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'x')"));
        return fail(Errc::invalid_argument, "no");
    });

    EXPECT_EQ(done.error().code, Errc::invalid_argument);
    EXPECT_EQ(rows(), 0);
}

TEST_F(SqliteTransactionTest, ExceptionOfTheClosureReachesTheCallerAndUndoesItsStatements)
{
    const auto closure = [](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'x')"));
        throw std::runtime_error{"boom"};
    };

    EXPECT_THROW(static_cast<void>(database->transact(closure)), std::runtime_error);
    EXPECT_EQ(rows(), 0);
}

TEST_F(SqliteTransactionTest, OverlookedErrorSpoilsTheClosure)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
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

TEST_F(SqliteTransactionTest, NestedErrorUndoesOnlyTheNestedPart)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'kept')"));
        const auto nested = transaction.nested([&]() -> Result<void> {
            EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (2, 'undone')"));
            const auto again = transaction.execute("INSERT INTO t VALUES (1, 'again')");
            return std::unexpected(again.error());
        });
        EXPECT_EQ(nested.error().code, Errc::unique_violation);
        EXPECT_FALSE(transaction.is_spoiled());
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (3, 'kept')"));
        return {};
    });

    EXPECT_TRUE(done);
    EXPECT_EQ(read_integer(*database, "SELECT sum(a) FROM t"), 4);
}

TEST_F(SqliteTransactionTest, OverlookedErrorInsideNestedComesBackFromNested)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'kept')"));
        const auto nested = transaction.nested([&]() -> Result<void> {
            static_cast<void>(transaction.execute("INSERT INTO t VALUES (1, 'again')"));
            return {};
        });
        EXPECT_EQ(nested.error().code, Errc::unique_violation);
        return {};
    });

    EXPECT_TRUE(done);
    EXPECT_EQ(rows(), 1);
}

TEST_F(SqliteTransactionTest, ExceptionInsideNestedIsUndoneAndGoesOn)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        try {
            static_cast<void>(transaction.nested([&]() -> Result<void> {
                EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'undone')"));
                throw std::runtime_error{"boom"};
            }));
        } catch (const std::runtime_error&) {
            EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (2, 'kept')"));
        }
        return {};
    });

    EXPECT_TRUE(done);
    EXPECT_EQ(read_integer(*database, "SELECT sum(a) FROM t"), 2);
}

TEST_F(SqliteTransactionTest, SavepointLeftOpenIsRefused)
{
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(static_cast<SqliteTransaction&>(transaction).begin_savepoint());
        EXPECT_TRUE(transaction.execute("INSERT INTO t VALUES (1, 'x')"));
        return {};
    });

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::invalid_argument);
    EXPECT_EQ(rows(), 0);
}

TEST_F(SqliteTransactionTest, ReadOnlyTransactionRefusesToWrite)
{
    const auto done = database->read(sql("INSERT INTO t VALUES (1, 'x')"));

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::sql);
    EXPECT_EQ(rows(), 0);
}

TEST_F(SqliteTransactionTest, DatabaseCallsInsideAClosureFailAtOnce)
{
    const auto done = database->transact([this](Transaction&) -> Result<void> {
        const auto nothing = [](Transaction&) -> Result<void> { return {}; };
        EXPECT_EQ(database->transact(nothing).error().code, Errc::wrong_thread);
        EXPECT_EQ(database->read(nothing).error().code, Errc::wrong_thread);
        EXPECT_EQ(database->backup("/nowhere").error().code, Errc::wrong_thread);
        return {};
    });

    EXPECT_TRUE(done);
}

TEST_F(SqliteTransactionTest, CacheOfStatementsIsBounded)
{
    for (std::size_t i = 0; i < 2 * tuning::statements_cached_max; ++i) {
        ASSERT_TRUE(database->transact(sql("SELECT " + std::to_string(i))));
    }
    EXPECT_TRUE(database->transact(sql("SELECT 0")));
}

}  // namespace
}  // namespace umavez
