// Tables, written as CSV in every way that spreadsheets know, are read back.

#include "modules/mailing/csv_layout.hpp"
#include "modules/mailing/csv_test_support.hpp"
#include "modules/mailing/csv_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace umavez::mailing {
namespace {

using Table = std::vector<std::vector<std::string>>;

struct Dialect {
    char delimiter;
    std::string line_end;
    bool is_latin;  // Windows-1252
    bool has_mark;  // a BOM
    bool quotes_all;
};

Dialect any_dialect()
{
    const bool is_latin = *rc::gen::arbitrary<bool>();
    return {
        .delimiter = *rc::gen::element(';', ',', '\t', '|'),
        .line_end = *rc::gen::element<std::string>("\n", "\r\n", "\r"),
        .is_latin = is_latin,
        .has_mark = !is_latin && *rc::gen::arbitrary<bool>(),
        .quotes_all = *rc::gen::arbitrary<bool>(),
    };
}

// Without blanks at its ends, which are not kept. No character of Windows-1252 here can be read as UTF-8.
std::string any_value()
{
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a",
        "B",
        "7",
        "@",
        " ",
        "\"",
        "\"\"",
        ";",
        ",",
        "\t",
        "|",
        "\n",
        "\r\n",
        "\r",
        "é",
        "ã",
        "ç"
    ));
    std::string value;
    for (const std::string& piece : pieces) value += piece;
    trim(value);
    return value;
}

// Every character of ours is one of Latin-1.
std::string to_latin(std::string_view text)
{
    std::string latin;
    while (!text.empty()) {
        if (text.front() == '\xc3') {
            latin += static_cast<char>(text[1] + 0x40);
            text.remove_prefix(2);
        } else {
            latin += text.front();
            text.remove_prefix(1);
        }
    }
    return latin;
}

std::string encode_field(const std::string& value, const Dialect& dialect)
{
    const bool must =
        value.find_first_of("\"\r\n") != std::string::npos || value.contains(dialect.delimiter);
    if (!must && !dialect.quotes_all && *rc::gen::arbitrary<bool>()) return value;
    std::string text = "\"";
    for (const char c : value) text += c == '"' ? std::string{"\"\""} : std::string{c};
    return text + "\"";
}

std::string encode(const Table& table, const Dialect& dialect)
{
    std::string text;
    for (const auto& row : table) {
        std::string line;
        for (const std::string& value : row) {
            if (&value != &row.front()) line += dialect.delimiter;
            line += encode_field(value, dialect);
        }
        text += line + dialect.line_end;
        // Empty lines mean nothing.
        if (*rc::gen::inRange(0, 10) == 0) text += dialect.line_end;
    }
    if (dialect.is_latin) text = to_latin(text);
    return (dialect.has_mark ? "\xef\xbb\xbf" : "") + text;
}

bool is_blank_row(const std::vector<std::string>& row)
{
    return std::ranges::all_of(row, [](const std::string& value) { return value.empty(); });
}

RC_GTEST_PROP(CsvProperty, WhatWasWrittenIsReadBackAndFromAnyRecordOn, ())
{
    const Dialect dialect = any_dialect();
    const auto columns = *rc::gen::inRange<std::size_t>(2, 6);
    Table table{{"email"}};
    while (table[0].size() < columns) table[0].push_back("c" + std::to_string(table[0].size()));
    const auto rows = *rc::gen::inRange(0, 12);
    for (int i = 0; i < rows; ++i) {
        std::vector<std::string> row;
        while (row.size() < columns) row.push_back(any_value());
        table.push_back(std::move(row));
    }
    const std::string text = encode(table, dialect);

    CsvReader reader{read_text(text, *rc::gen::inRange<std::size_t>(1, 100))};
    const auto layout = read_layout(reader);
    RC_ASSERT(layout.has_value());
    RC_ASSERT(layout->delimiter == dialect.delimiter);
    RC_ASSERT(layout->names == table[0]);
    const auto lines = read_lines(reader);
    Table read;
    for (const ReadLine& line : lines) {
        if (!is_blank_row(line.fields)) read.push_back(line.fields);
    }
    table.erase(table.begin());
    std::erase_if(table, is_blank_row);
    RC_ASSERT(read == table);

    for (std::size_t i = 0; i < lines.size(); ++i) {
        reader.go_to(lines[i].end);
        const auto rest = read_lines(reader);
        RC_ASSERT(std::ranges::equal(rest, std::span{lines}.subspan(i + 1)));
    }
}

// Whatever the bytes: all of them are read, in order, and what a resumed reader sees is the same.
RC_GTEST_PROP(CsvProperty, AnyBytesAreReadToTheirEnd, ())
{
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "\"", ";", "\n", "\r", "a", " ", "\xe3", "\xc3", std::string(1, '\0')
    ));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    CsvReader reader{read_text(text, *rc::gen::inRange<std::size_t>(1, 9))};
    reader.set_delimiter(';');
    const auto lines = read_lines(reader);
    CsvPosition before;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        RC_ASSERT(lines[i].line > before.lines);
        RC_ASSERT(lines[i].end.bytes > before.bytes);
        before = lines[i].end;
        reader.go_to(before);
        RC_ASSERT(std::ranges::equal(read_lines(reader), std::span{lines}.subspan(i + 1)));
    }
    RC_ASSERT(reader.position().bytes == static_cast<std::int64_t>(text.size()));
}

}  // namespace
}  // namespace umavez::mailing
