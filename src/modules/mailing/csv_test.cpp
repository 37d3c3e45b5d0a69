#include "modules/mailing/csv_layout.hpp"
#include "modules/mailing/csv_test_support.hpp"
#include "modules/mailing/csv_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Table = std::vector<std::vector<std::string>>;

Result<CsvLayout> layout_of(std::string_view text)
{
    CsvReader reader{read_text(text)};
    return read_layout(reader);
}

std::vector<std::string> names_of(std::string_view text)
{
    const auto layout = layout_of(text);
    return layout ? layout->names : std::vector<std::string>{layout.error().detail};
}

std::string refusal_of(std::string_view text)
{
    const auto layout = layout_of(text);
    if (layout) return "";
    EXPECT_EQ(layout.error().code, Errc::invalid_argument);
    return layout.error().detail;
}

TEST(CsvRecord, QuotedFieldsHoldDelimitersQuotesAndLineEnds)
{
    const Table expected{{"a;b", "say \"hi\"", "two\nlines"}, {"c", "", "d"}};
    EXPECT_EQ(read_table("\"a;b\";\"say \"\"hi\"\"\";\"two\nlines\"\nc;;d\n", ';'), expected);
}

TEST(CsvRecord, LinesEndWithLfCrlfOrCr)
{
    const Table expected{{"a", "b"}, {"c", "d"}};
    for (const std::string_view text :
         {"a,b\nc,d\n", "a,b\r\nc,d\r\n", "a,b\rc,d\r", "a,b\n\n\nc,d"}) {
        EXPECT_EQ(read_table(text, ','), expected) << text;
    }
}

TEST(CsvRecord, SpacesAroundFieldsAreNotTheirs)
{
    const Table expected{{"a", "b; c", "d"}};
    EXPECT_EQ(read_table("  a ; \"b; c\" ;\td\xc2\xa0\n", ';'), expected);
}

TEST(CsvRecord, WhatFollowsAClosingQuoteBelongsToTheField)
{
    const Table expected{{"ab", "c\"d"}};
    EXPECT_EQ(read_table("\"a\"b;c\"d\n", ';'), expected);
}

TEST(CsvRecord, ARecordThatIsNotUtf8IsWindows1252AndTheOthersAreNot)
{
    const Table expected{{"João"}, {"João €"}, {"Ação\xef\xbf\xbd"}};
    EXPECT_EQ(read_table("Jo\xc3\xa3o\nJo\xe3o \x80\nA\xe7\xe3o\x81\n", ';'), expected);
}

TEST(CsvReader, TellsWhereRecordsBeginAndEnd)
{
    const std::string text = "x\r\n\r\n\"a\r\nb\";c\rd";
    CsvReader reader{read_text(text, 3)};
    reader.set_delimiter(';');
    const auto lines = read_lines(reader);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].line, 1);
    EXPECT_EQ(lines[0].end, (CsvPosition{3, 1}));
    EXPECT_EQ(lines[1].line, 3);
    EXPECT_EQ(lines[1].end, (CsvPosition{14, 4}));
    EXPECT_EQ(lines[2].line, 5);
    EXPECT_EQ(lines[2].end, (CsvPosition{15, 5}));
}

TEST(CsvReader, AQuoteThatNobodyClosesCostsOneLine)
{
    const std::string text = "a;b\n\"c;d\ne;f\n";
    CsvReader reader{read_text(text)};
    reader.set_delimiter(';');
    const auto lines = read_lines(reader);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1].shape, RecordShape::unclosed);
    EXPECT_EQ(lines[1].line, 2);
    EXPECT_THAT(lines[1].fields, ElementsAre("\"c;d"));
    EXPECT_THAT(lines[2].fields, ElementsAre("e", "f"));
    EXPECT_EQ(lines[2].line, 3);
}

TEST(CsvReader, AQuoteIsNotLookedForBeyondTheLimits)
{
    std::string many_lines = "\"a\n";
    for (std::size_t i = 0; i < record_lines_max; ++i) many_lines += "b\n";
    std::string many_bytes = "\"a\n" + std::string(record_bytes_max, 'b') + "\n";
    for (std::string text : {many_lines, many_bytes}) {
        text += "c\"\nlast\n";
        CsvReader reader{read_text(text)};
        reader.set_delimiter(';');
        const auto lines = read_lines(reader);
        EXPECT_EQ(lines.front().shape, RecordShape::unclosed);
        EXPECT_THAT(lines.back().fields, ElementsAre("last"));
        EXPECT_EQ(lines.back().line, std::ranges::count(text, '\n'));
    }
}

TEST(CsvReader, ALineWithoutEndIsLeftBehindWhateverItsLength)
{
    for (const std::size_t size :
         {record_bytes_max + 1, record_bytes_max + 2, std::size_t{1'000'000}}) {
        for (const std::string_view end : {"\n", "\r\n", "\r"}) {
            std::string text = "a";
            text += end;
            text += std::string(size, 'x');
            text += end;
            text += "b";
            CsvReader reader{read_text(text)};
            reader.set_delimiter(';');
            const auto lines = read_lines(reader);
            ASSERT_EQ(lines.size(), 3u) << size;
            EXPECT_EQ(lines[1].shape, RecordShape::too_long);
            EXPECT_LE(lines[1].fields.front().size(), 1024u);
            EXPECT_EQ(lines[2].line, 3);
            EXPECT_EQ(lines[2].end.bytes, static_cast<std::int64_t>(text.size()));
        }
    }
}

TEST(CsvReader, TheLongestRecordIsRead)
{
    const std::string text = std::string(record_bytes_max, 'x') + "\r\nb\n";
    CsvReader reader{read_text(text)};
    const auto lines = read_lines(reader);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].shape, RecordShape::whole);
    EXPECT_EQ(lines[1].line, 2);
}

// Each of its lines opens a quote and closes the one before: read as one record it has no end.
TEST(CsvReader, AHostileFileIsReadInBoundedTime)
{
    std::string text;
    while (text.size() < 200'000) text += "a\",\"b\n";
    CsvReader reader{read_text(text)};
    reader.set_delimiter(',');
    const auto lines = read_lines(reader);
    EXPECT_EQ(lines.size(), text.size() / 6);
}

TEST(CsvReader, AFileThatCannotBeReadIsNoEndOfFile)
{
    CsvReader reader{[](std::int64_t, std::span<char>) -> Result<std::size_t> {
        return fail(Errc::store_unavailable, "input/output error");
    }};
    EXPECT_EQ(reader.next().error().code, Errc::store_unavailable);
    EXPECT_EQ(read_layout(reader).error().code, Errc::store_unavailable);
    EXPECT_EQ(read_header("/nonexistent/file.csv").error().code, Errc::not_found);
}

TEST(CsvLayout, DelimitersAreFoundInTheHeader)
{
    EXPECT_EQ(layout_of("nome;email;cidade\n")->delimiter, ';');
    EXPECT_EQ(layout_of("nome,email\n")->delimiter, ',');
    EXPECT_EQ(layout_of("nome\temail\n")->delimiter, '\t');
    EXPECT_EQ(layout_of("nome|email\n")->delimiter, '|');
    EXPECT_EQ(layout_of("\"nome, sobrenome, apelido\";email\n")->delimiter, ';');
    EXPECT_EQ(layout_of("email\n")->delimiter, no_delimiter);
}

TEST(CsvLayout, ExcelMayNameTheDelimiterInALineOfItsOwn)
{
    EXPECT_THAT(names_of("sep=,\r\nemail,a;b;c\r\n"), ElementsAre("email", "a;b;c"));
    EXPECT_THAT(names_of("\xef\xbb\xbf\"SEP=;\"\nnome;email\n"), ElementsAre("nome", "email"));
    EXPECT_EQ(layout_of("sep=;\nnome;email\nx")->rows, (CsvPosition{17, 2}));
}

TEST(CsvLayout, NamesAreInLowerCaseAndTrimmed)
{
    EXPECT_THAT(
        names_of("\xef\xbb\xbf\n \n NOME ;\"E-Mail\";ENDEREÇO;;\n"),
        ElementsAre("nome", "email", "endereço", "", "")
    );
    EXPECT_THAT(names_of("Endere\xe7o;Descri\xc7\xc3O\n"), ElementsAre("email", "descrição"));
}

TEST(CsvLayout, TheAddressColumnHasManyNames)
{
    for (const std::string_view name :
         {"email",
          "E-MAIL",
          "e_mail",
          "mail",
          "Endereço",
          "endereco",
          "Endereço de e-mail",
          "E-mails",
          "Email Address",
          "Correio eletrônico"}) {
        const auto layout = layout_of("nome;" + std::string{name} + "\n");
        ASSERT_TRUE(layout) << name;
        EXPECT_EQ(layout->address_column, 1u);
        EXPECT_THAT(layout->names, ElementsAre("nome", "email"));
    }
}

TEST(CsvLayout, TheStreetIsNotTheAddressWhereThereIsAnEmail)
{
    EXPECT_EQ(layout_of("endereço;e-mail\n")->address_column, 1u);
}

TEST(CsvLayout, OneColumnOfAddressesNeedsNoHeader)
{
    const auto layout = layout_of("\n joao@x.example \nmaria@x.example\n");
    ASSERT_TRUE(layout);
    EXPECT_THAT(layout->names, ElementsAre("email"));
    EXPECT_EQ(layout->rows, CsvPosition{});
    EXPECT_EQ(layout_of("\xef\xbb\xbfjoao@x.example")->rows, (CsvPosition{3, 0}));
}

TEST(CsvLayout, WhatCannotBeUsedIsRefusedWithAReason)
{
    EXPECT_THAT(refusal_of(""), HasSubstr("vazio"));
    EXPECT_THAT(refusal_of("\n\r\n  \n"), HasSubstr("vazio"));
    EXPECT_THAT(refusal_of("nome;cidade\na;b\n"), HasSubstr("\"nome\", \"cidade\""));
    EXPECT_THAT(refusal_of("joao@x.example;João\n"), HasSubstr("nenhuma coluna de e-mail"));
    EXPECT_THAT(refusal_of("email;nome;Nome\n"), HasSubstr("\"nome\" aparece duas vezes"));
    EXPECT_THAT(refusal_of("email;e-mail\n"), HasSubstr("mais de uma coluna"));
    EXPECT_THAT(
        refusal_of(std::string_view{
            "\xff\xfe"
            "e\0m\0",
            6
        }),
        HasSubstr("UTF-16")
    );
    EXPECT_THAT(refusal_of(std::string_view{"e\0m\0a\0", 6}), HasSubstr("bytes nulos"));
    EXPECT_THAT(refusal_of("PK\x03\x04rest"), HasSubstr("planilha"));
    EXPECT_THAT(refusal_of("\"email;nome\nx\n"), HasSubstr("aspas"));
    EXPECT_THAT(refusal_of(std::string(100'000, 'x')), HasSubstr("longa"));
}

TEST(CsvText, NamesAreFoldedForComparison)
{
    EXPECT_EQ(fold_name("Endereço de E-mail:"), "enderecodeemail");
    EXPECT_EQ(fold_name("CORREIO ELETRÔNICO"), "correioeletronico");
    EXPECT_EQ(fold_name("×Д"), "×Д");
}

TEST(CsvText, TextIsCutAtACharacter)
{
    EXPECT_EQ(cut_text("ação", 3), "açã");
    EXPECT_EQ(
        cut_text(std::string_view{"a\0b", 3}, 9),
        "a\xef\xbf\xbd"
        "b"
    );
}

}  // namespace
}  // namespace umavez::mailing
