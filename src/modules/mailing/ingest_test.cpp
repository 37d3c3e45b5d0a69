#include "modules/mailing/ingest.hpp"

#include "modules/mailing/ingest_test_support.hpp"

#include <gmock/gmock.h>

#include <set>

namespace umavez::mailing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The seed's "Teste 2: Email Duplicado no CSV".
TEST_F(IngestTest, Teste2EmailDuplicadoNoCsv)
{
    upload("\nemail\nuser@test.com\nadmin@test.com\nuser@test.com\nadmin@test.com\n");
    ASSERT_TRUE(completes());
    EXPECT_THAT(emails(), ElementsAre("user@test.com", "admin@test.com"));
    expect_counts(2, 2, 0);
}

// The seed's "Cenário 2: CSV com Emails Duplicados": no header there.
TEST_F(IngestTest, Cenario2CsvComEmailsDuplicados)
{
    upload("user@example.com\nadmin@example.com\nuser@example.com\nadmin@example.com");
    ASSERT_TRUE(completes());
    EXPECT_THAT(emails(), ElementsAre("user@example.com", "admin@example.com"));
    expect_counts(2, 2, 0);
    EXPECT_EQ(mailing().read_lines, 4);
    EXPECT_EQ(mailing().read_bytes, mailing().content_bytes);
}

// The seed's limitation "Email Case-Sensitivity", which is none here.
TEST_F(IngestTest, CaseAndBlanksTellNoAddressesApart)
{
    upload("E-Mail;Nome\r\n User@Example.com ;a\r\nuser@EXAMPLE.COM;b\r\n\"user@example.com\";c\r\n"
    );
    ASSERT_TRUE(completes());
    EXPECT_THAT(emails(), ElementsAre("user@example.com"));
    expect_counts(1, 2, 0);
}

TEST_F(IngestTest, TheMailingIsProcessingWhenItsLastRowsAreIn)
{
    upload("email\na@x.example\n");
    ASSERT_TRUE(completes());
    EXPECT_EQ(mailing().status, Status::processing);
    EXPECT_TRUE(mailing().is_ingested);
    const Rows rows = query("SELECT status, attempts, due_at, line FROM mailing_entries");
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].text(0), "PENDING");
    EXPECT_EQ(rows[0].integer(1), 0);
    EXPECT_EQ(rows[0].integer(2), 0);
    EXPECT_EQ(rows[0].integer(3), 2);
}

TEST_F(IngestTest, AFileOfNothingButAHeaderIsComplete)
{
    upload("email;nome\n");
    ASSERT_TRUE(completes());
    EXPECT_EQ(mailing().status, Status::processing);
    expect_counts(0, 0, 0);
}

TEST_F(IngestTest, OtherColumnsAreFieldsWhateverTheyHold)
{
    upload(
        "nome;email;\"a\"\"b\"\n"
        "\"Jo\\ão \"\"J\"\"\n{NULL},\";a@x.example;NULL\n"
        ";b@x.example\n"
        "Jo\xe3o;c@x.example;\n"
    );
    ASSERT_TRUE(completes());
    const Rows rows = query("SELECT fields, line FROM mailing_entries ORDER BY id");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].text(0), R"({"nome":"Jo\\ão \"J\"\n{NULL},","a\"b":"NULL"})");
    EXPECT_EQ(rows[1].text(0), R"({"nome":"","a\"b":""})");
    EXPECT_EQ(rows[2].text(0), R"({"nome":"João","a\"b":""})");
    EXPECT_EQ(rows[0].integer(1), 2);
    EXPECT_EQ(rows[1].integer(1), 4);
}

TEST_F(IngestTest, WithoutOtherColumnsThereAreNoFields)
{
    upload("email;\na@x.example;\n");
    ASSERT_TRUE(completes());
    EXPECT_TRUE(query("SELECT fields FROM mailing_entries").front().is_null(0));
}

TEST_F(IngestTest, FromSomeNumberOnInvalidLinesAreOnlyCounted)
{
    upload("email;nome\nx;\nx;\nx;\nx;\nx;\na@x.example;\n");
    ASSERT_TRUE(completes({.rows_max = 2, .invalid_kept = 3}));
    EXPECT_THAT(emails(), ElementsAre("a@x.example"));
    expect_counts(1, 0, 5);
    EXPECT_EQ(query("SELECT count(*) FROM mailing_invalid_lines").front().integer(0), 4);
}

TEST_F(IngestTest, InvalidLinesAreKeptAndStopNothing)
{
    std::string csv = "email;nome\nsem-arroba;x\na@x.example;ok\na@x.example;y;z\n";
    csv += "\"aberta;x\n;;\n;sem endereço\nb@x.example;nulo";
    csv += '\0';
    csv += "\n";
    csv += std::string(300, 'x') + ";long\nultimo@x.example\n";
    upload(csv);
    ASSERT_TRUE(completes());
    EXPECT_THAT(emails(), ElementsAre("a@x.example", "ultimo@x.example"));
    expect_counts(2, 0, 6);
    const Rows rows =
        query("SELECT line, content, reason FROM mailing_invalid_lines ORDER BY line");
    ASSERT_EQ(rows.size(), 6u);
    const std::vector<std::int64_t> lines{2, 4, 5, 7, 8, 9};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(rows[i].integer(0), lines[i]);
        EXPECT_NE(rows[i].text(2), "");
    }
    EXPECT_EQ(rows[0].text(1), "sem-arroba;x");
    EXPECT_THAT(rows[1].text(2), HasSubstr("mais colunas"));
    EXPECT_THAT(rows[2].text(2), HasSubstr("aspas"));
    EXPECT_EQ(rows[4].text(1), "b@x.example;nulo\xef\xbf\xbd");
    EXPECT_EQ(rows[5].text(1), std::string(200, 'x'));
}

TEST_F(IngestTest, TokensAreRandomAndEachHasItsOwn)
{
    std::string csv = "email\n";
    for (int i = 0; i < 100; ++i) csv += "a" + std::to_string(i) + "@x.example\n";
    upload(csv);
    ASSERT_TRUE(completes());
    std::set<std::string> tokens;
    for (const Row& row : query("SELECT token FROM mailing_entries")) {
        EXPECT_EQ(row.text(0).size(), 22u);
        tokens.insert(row.text(0));
    }
    EXPECT_EQ(tokens.size(), 100u);
}

TEST(IngestToken, HasEveryBitOfTwoRandomWords)
{
    class Bits final : public Random {
    public:
        std::uint64_t next() override { return std::exchange(first, second); }
        std::uint64_t first = 0;
        std::uint64_t second = 0;
    };
    std::set<std::string> seen;
    for (int bit = 0; bit < 128; ++bit) {
        Bits bits;
        (bit < 64 ? bits.first : bits.second) = std::uint64_t{1} << (bit % 64);
        seen.insert(make_entry_token(bits));
    }
    EXPECT_EQ(seen.size(), 128u);
}

TEST_F(IngestTest, AFileWithoutAddressesIsUnusableAndTheMailingUntouched)
{
    upload("nome;cidade\nJoão;São Paulo\n");
    const auto ingested = ingest(*database, lock(), file(), {});
    ASSERT_TRUE(ends_as<Unusable>(ingested));
    EXPECT_THAT(std::get<Unusable>(*ingested).reason, HasSubstr("nenhuma coluna de e-mail"));
    EXPECT_EQ(mailing().status, Status::ingesting);
    expect_counts(0, 0, 0);
}

TEST_F(IngestTest, AnotherFileThanTheUploadedOneIsUnusable)
{
    upload("email\na@x.example\n");
    std::ofstream{file(), std::ios::app} << "b@x.example\n";
    EXPECT_TRUE(ends_as<Unusable>(ingest(*database, lock(), file(), {})));
    std::filesystem::remove(file());
    const auto ingested = ingest(*database, lock(), file(), {});
    ASSERT_FALSE(ingested);
    EXPECT_EQ(ingested.error().code, Errc::not_found);
}

}  // namespace
}  // namespace umavez::mailing
