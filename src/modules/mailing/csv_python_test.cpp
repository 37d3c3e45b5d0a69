// The csv module of Python is asked about the same awkward texts.

#include "modules/mailing/csv_test_support.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

namespace umavez::mailing {
namespace {

using Table = std::vector<std::vector<std::string>>;

// Fields end with a byte 1, records with a byte 2.
constexpr std::string_view script = R"(
import csv, sys
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    for row in csv.reader(file, delimiter=';', skipinitialspace=True):
        if row: sys.stdout.write(''.join(field.strip() + '\1' for field in row) + '\2')
)";

struct ClosePipe {
    void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

Table ask_python(std::string_view text)
{
    std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
    const std::filesystem::path folder = ::mkdtemp(pattern.data());
    std::ofstream{folder / "read.py"} << script;
    std::ofstream{folder / "text.csv", std::ios::binary} << text;
    const std::string command = "PYTHONIOENCODING=utf-8 python3 " + (folder / "read.py").string() +
                                " " + (folder / "text.csv").string();
    Table table;
    {
        const std::unique_ptr<std::FILE, ClosePipe> pipe{::popen(command.c_str(), "r")};
        std::string field;
        std::vector<std::string> row;
        for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
            if (c == 1) {
                row.push_back(std::exchange(field, {}));
            } else if (c == 2) {
                table.push_back(std::exchange(row, {}));
            } else {
                field += static_cast<char>(c);
            }
        }
    }
    std::filesystem::remove_all(folder);
    return table;
}

// One after the other in one text: a record ends where both think it does, or nothing after it is right.
TEST(CsvAndPython, ReadTheSame)
{
    const std::vector<std::string> awkward = {
        "a;b;c",
        ";;",
        "\"\";\"\"\"\";\"\"\"\"\"\"",
        "\"a\"b\"c\";d",
        "\"a\" \"b\";c",
        "a\"b;c\"\"d;\"e",  // the quote is closed on the next line
        "f\";g",
        "  \"h;i\"  ;  j  ",
        "\"k\nl\r\nm\rn\";o",
        "\"p\"\"\nq\"\"\";r",
        "'s;t';\\\"u;v",
        "w; \"x\"y\";\"z",
        "\"\"\"",
        "\";end",
        "São;\"Ação; €\";日本",
        "last",
    };
    for (const std::string_view line_end : {"\n", "\r\n", "\r", "\n\n"}) {
        std::string text;
        for (const std::string& line : awkward) text += line + std::string{line_end};
        const Table theirs = ask_python(text);
        ASSERT_GT(theirs.size(), 10u);
        EXPECT_EQ(read_table(text, ';'), theirs);
    }
}

}  // namespace
}  // namespace umavez::mailing
