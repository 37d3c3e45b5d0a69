#pragma once

// The vector files beside the project, as rows by the names of their columns. For tests, of one thread.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

using CsvRow = std::map<std::string, std::string>;

// Fields with quotes may hold commas; none of these files has a line break in a field.
inline std::vector<std::string> split_csv(std::string_view line)
{
    std::vector<std::string> fields(1);
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            fields.emplace_back();
        } else if (c != '\r') {
            fields.back() += c;
        }
    }
    return fields;
}

// Empty: the file is not there.
inline std::vector<CsvRow> read_vectors(const std::string& name)
{
    std::ifstream file{std::filesystem::path{UMAVEZ_VECTORS_DIR} / "fiscal" / name};
    std::string line;
    std::getline(file, line);
    const auto names = split_csv(line);
    std::vector<CsvRow> rows;
    while (std::getline(file, line)) {
        const auto fields = split_csv(line);
        EXPECT_EQ(fields.size(), names.size()) << line;
        CsvRow row;
        for (std::size_t i = 0; i < std::min(fields.size(), names.size()); ++i) {
            row[names[i]] = fields[i];
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace umavez::fiscal
