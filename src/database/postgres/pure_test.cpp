// What needs no server: URLs, error codes, the words of statements.

#include "database/postgres/failure.hpp"
#include "database/postgres/parameters.hpp"
#include "database/postgres/statement_kind.hpp"
#include "database/postgres/url.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace umavez::pg {
namespace {

TEST(PostgresUrl, SecretsAreNotShown)
{
    const auto url =
        parse_postgres_url("postgres://ana:s3cret@db.example:6000/loja?sslpassword=p4ss");

    ASSERT_TRUE(url);
    EXPECT_EQ(url->shown, "postgres://ana@db.example:6000/loja");
}

TEST(PostgresUrl, AnAddressOfVersionSixIsShownAsItWasWritten)
{
    const auto url = parse_postgres_url("postgres://ana@[::1]:6000,db/loja");

    ASSERT_TRUE(url);
    EXPECT_EQ(url->shown, "postgres://ana@[::1]:6000,db/loja");
}

TEST(PostgresUrl, ParametersOfLibpqGoThroughAndOursAreTaken)
{
    const auto url = parse_postgres_url(
        "postgresql://db/loja?sslmode=verify-full&umavez_pooler=transaction&sslrootcert=/ca.pem"
        "&umavez_connections=7"
    );

    ASSERT_TRUE(url);
    EXPECT_TRUE(url->is_pooled);
    EXPECT_EQ(url->connections, 7u);
    const auto has = [&](std::string_view name, std::string_view value) {
        return std::ranges::any_of(url->parameters, [&](const auto& one) {
            return one.first == name && one.second == value;
        });
    };
    EXPECT_TRUE(has("sslmode", "verify-full"));
    EXPECT_TRUE(has("sslrootcert", "/ca.pem"));
}

TEST(PostgresUrl, MistakesAreRefusedWithoutRepeatingThePassword)
{
    for (const char* const text :
         {"postgres://u:s3cret@h/d?nonsense=1",
          "postgres://u:s3cret@h/d?umavez_pooler=session",
          "postgres://u:s3cret@h/d?umavez_connections=0",
          "postgres://u:s3cret@h/d?umavez_other=1",
          "postgres://u:s3cret@h/d?target_session_attrs=any",
          "postgres://u:s3cret@[h/d"}) {
        const auto url = parse_postgres_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().code, Errc::misconfigured);
        EXPECT_EQ(url.error().detail.find("s3cret"), std::string::npos) << url.error().detail;
    }
}

TEST(PostgresUrl, ASeparatorInThePasswordIsRefusedAndThePasswordNotShown)
{
    for (const char* const text :
         {"postgres://ana:S3cr3t/Pw@db.example:5432/loja",
          "postgres://ana:12/S3cr3t@db.example/loja",
          "postgres://ana:pa@S3cr3t@db.example/loja"}) {
        const auto url = parse_postgres_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_NE(url.error().detail.find("%2F"), std::string::npos);
        EXPECT_EQ(url.error().detail.find("S3cr3t"), std::string::npos);
    }
    EXPECT_TRUE(parse_postgres_url("postgres://ana:S3cr3t%2FPw%40@db.example/loja"));
    EXPECT_TRUE(parse_postgres_url("postgres:///loja?host=/run/postgresql"));
}

TEST(PostgresUrl, EachHostHasAPortOrAllHaveOne)
{
    for (const char* const text :
         {"postgres:///d?host=a,b,c&port=5432,5433",
          "postgres:///d?host=a&port=5432,5433",
          "postgres:///d?host=a,b&hostaddr=10.0.0.1"}) {
        const auto url = parse_postgres_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_NE(url.error().detail.find("a port for each host"), std::string::npos);
    }
    for (const char* const text :
         {"postgres://a,b,c/d",
          "postgres://a:1,b/d",
          "postgres:///d?host=a,b,c&port=5432",
          "postgres:///d?host=a,b&hostaddr=10.0.0.1,10.0.0.2&port=1,2"}) {
        EXPECT_TRUE(parse_postgres_url(text)) << text;
    }
}

TEST(PostgresUrl, TheMistakeIsNamed)
{
    const auto refusal = [](std::string_view text) {
        const auto url = parse_postgres_url(text);
        return url ? std::string{} : url.error().detail;
    };
    EXPECT_NE(refusal("postgres://u:s3cret@h/d?nonsense=1").find("nonsense"), std::string::npos);
    EXPECT_NE(
        refusal("postgres://h/d?umavez_connections=2&umavez_connections=3").find("twice"),
        std::string::npos
    );
    EXPECT_NE(
        refusal("postgres://h/d?umavez_pooler=none&umavez_pooler=transaction").find("twice"),
        std::string::npos
    );
    for (const char* const text : {"postgres://", "postgres:///d", "postgres://u@/d"}) {
        EXPECT_NE(refusal(text).find("no host"), std::string::npos) << text;
    }
    // A password that was cut in two is not a parameter to be named.
    const std::string cut = refusal("postgres://u:pass?word=x@h/d");
    EXPECT_EQ(cut.find("word="), std::string::npos);
    EXPECT_NE(cut.find("%3F"), std::string::npos);
    EXPECT_EQ(refusal("postgres://h/d?ssl=true&sslmode=require&host=/run/pg"), "");
}

TEST(PostgresUrl, SeveralHostsAreShownWithTheirPorts)
{
    const auto url = parse_postgres_url("postgres://u@a:1,b:2,c/d?connect_timeout=2");

    ASSERT_TRUE(url);
    EXPECT_EQ(url->shown, "postgres://u@a:1,b:2,c/d");
}

TEST(PostgresFailure, CodesTellWhatHappenedToTheEffect)
{
    const auto code_of = [](std::string_view sqlstate) {
        return to_error({.sqlstate = sqlstate, .message = "m"}, "").code;
    };
    EXPECT_EQ(code_of("23505"), Errc::unique_violation);
    EXPECT_EQ(code_of("23503"), Errc::sql);
    EXPECT_EQ(code_of("42601"), Errc::sql);
    for (const char* const sqlstate :
         {"40001", "40P01", "55P03", "57014", "57P01", "08006", "53100", "25006"}) {
        EXPECT_EQ(code_of(sqlstate), Errc::store_unavailable) << sqlstate;
    }
    EXPECT_EQ(remedy_of("40001"), Remedy::run_again);
    EXPECT_EQ(remedy_of("55P03"), Remedy::wait_more);
    EXPECT_EQ(remedy_of("57P01"), Remedy::reconnect);
    EXPECT_EQ(remedy_of(""), Remedy::reconnect);
    EXPECT_EQ(remedy_of("23505"), Remedy::none);
}

TEST(PostgresFailure, ValuesAreNotRepeated)
{
    const Error error = to_error(
        {.sqlstate = "22P02",
         .message = "invalid input syntax for type bigint: \"1234\"",
         .column = "a"},
        "SELECT"
    );
    EXPECT_EQ(error.detail.find("1234"), std::string::npos);
    EXPECT_NE(error.detail.find("22P02"), std::string::npos);
}

TEST(PostgresStatement, WordsTellWhatItDoes)
{
    EXPECT_TRUE(is_ours_alone(" /* a /* b */ c */ commit"));
    EXPECT_FALSE(is_ours_alone("SELECT 'COMMIT'"));
    EXPECT_FALSE(is_ours_alone("ENDOW"));
    EXPECT_TRUE(only_reads("( select 1 )"));
    EXPECT_FALSE(only_reads("WITH x AS (DELETE FROM t RETURNING 1) SELECT 1"));
    EXPECT_EQ(
        returning_id("INSERT INTO t VALUES (1) ;\n").value(),
        "INSERT INTO t VALUES (1) RETURNING id"
    );
    EXPECT_FALSE(returning_id("INSERT INTO t VALUES (1) on conflict (a) do update set a = 1"));
}

TEST(PostgresParameters, ArraysAreWrittenAsTheServerReadsThem)
{
    Parameters parameters;
    parameters.begin_array(type::int8, 2);
    parameters.element(std::int64_t{258});
    parameters.element_null();
    parameters.add(std::int64_t{-1});

    const auto& all = parameters.pointers();

    ASSERT_EQ(all.values.size(), 2u);
    EXPECT_EQ(all.types[0], 1016u);
    const std::string array{all.values[0], static_cast<std::size_t>(all.lengths[0])};
    const std::string expected{
        "\0\0\0\1\0\0\0\1\0\0\0\x14\0\0\0\2\0\0\0\1\0\0\0\x8\0\0\0\0\0\0\1\2\xff\xff\xff\xff", 36
    };
    EXPECT_EQ(array, expected);
    EXPECT_EQ(std::string(all.values[1], 8), std::string(8, '\xff'));
}

}  // namespace
}  // namespace umavez::pg
