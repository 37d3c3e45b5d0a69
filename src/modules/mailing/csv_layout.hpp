#pragma once

// What a CSV file says of itself before its first row: the delimiter, the names of its columns, and which
// of them has the addresses.
//
// - The delimiter is the most frequent of ; , tab and | in the first line, or the one of Excel's line
//   "sep=;".
// - The address column is the one called email, else e-mail address or mail, else endereço. It is `email` for
//   everybody after this, whatever the file calls it.
// - A file of one column whose first line has an @ has no header.
// - A name that appears twice is refused: nobody could tell which of the two a template means.
// - UTF-16 and spreadsheets that are no CSV are refused.
//
// Thread-safe.

#include "modules/mailing/csv_reader.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace umavez::mailing {

struct CsvLayout {
    char delimiter = no_delimiter;
    std::vector<std::string>
        names;  // by column, in lower case; empty: a column without a name, left out
    std::size_t address_column = 0;
    CsvPosition rows;  // begin here
};

// Leaves the reader at the first row. invalid_argument: the file cannot be used, and the detail is a
// sentence in Portuguese for whoever uploaded it.
Result<CsvLayout> read_layout(CsvReader& reader);

// The names that templates may use: `email` and those of the other columns. Fails as read_layout and
// open_file.
Result<std::vector<std::string>> read_header(const std::filesystem::path& path);

}  // namespace umavez::mailing
