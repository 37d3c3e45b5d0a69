#pragma once

// CSV from memory, for tests. Confined to the test.

#include "modules/mailing/csv_layout.hpp"
#include "modules/mailing/csv_reader.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::mailing {

// At most `step` bytes at a time. `text` outlives it.
inline ReadAt read_text(std::string_view text, std::size_t step = 1'000'000)
{
    return [text, step](std::int64_t offset, std::span<char> into) -> Result<std::size_t> {
        const std::size_t from = std::min(static_cast<std::size_t>(offset), text.size());
        const std::size_t size = std::min({step, into.size(), text.size() - from});
        std::ranges::copy(text.substr(from, size), into.begin());
        return size;
    };
}

struct ReadLine {
    std::int64_t line = 0;
    RecordShape shape = RecordShape::whole;
    std::vector<std::string> fields;  // of a record that is not whole its text alone
    CsvPosition end;
    friend bool operator==(const ReadLine&, const ReadLine&) = default;
};

inline std::vector<ReadLine> read_lines(CsvReader& reader)
{
    std::vector<ReadLine> lines;
    while (true) {
        const auto record = reader.next();
        if (!record || !*record) return lines;
        ReadLine line{(*record)->line, (*record)->shape, {}, (*record)->end};
        if (line.shape == RecordShape::whole) {
            split_record((*record)->text, reader.delimiter(), line.fields);
        } else {
            line.fields.emplace_back((*record)->text);
        }
        lines.push_back(std::move(line));
    }
}

// The fields of every record, as the file has them: no header.
inline std::vector<std::vector<std::string>> read_table(std::string_view text, char delimiter)
{
    CsvReader reader{read_text(text)};
    reader.set_delimiter(delimiter);
    std::vector<std::vector<std::string>> table;
    for (ReadLine& line : read_lines(reader)) table.push_back(std::move(line.fields));
    return table;
}

}  // namespace umavez::mailing
