// Hostile files for the CSV reader of mailings.
//
// An input is a file. Checked: reading it ends, at its end; records follow each other and begin on lines
// of their own; fields are UTF-8 without bytes 0 where the record has none; whoever goes on after any
// record, or gets the file in pieces, reads the same; and every row is an entry, an invalid line or left
// out.

#include "base/utf8.hpp"
#include "modules/mailing/ingest_batch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez;
using namespace umavez::mailing;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

ReadAt read_text(std::string_view text, std::size_t step)
{
    return [text, step](std::int64_t offset, std::span<char> into) -> Result<std::size_t> {
        const std::size_t from = std::min(static_cast<std::size_t>(offset), text.size());
        const std::size_t size = std::min({step, into.size(), text.size() - from});
        std::ranges::copy(text.substr(from, size), into.begin());
        return size;
    };
}

struct Line {
    RecordShape shape;
    std::string text;
    std::int64_t line;
    CsvPosition end;
    friend bool operator==(const Line&, const Line&) = default;
};

std::vector<Line> read_all(CsvReader& reader)
{
    std::vector<Line> lines;
    while (true) {
        const auto record = reader.next();
        require(record.has_value(), "text can be read");
        if (!*record) return lines;
        lines.push_back(
            {(*record)->shape, std::string{(*record)->text}, (*record)->line, (*record)->end}
        );
    }
}

void check_records(CsvReader& reader, const CsvLayout& layout, std::string_view text)
{
    const std::vector<Line> lines = read_all(reader);
    require(reader.position().bytes == static_cast<std::int64_t>(text.size()), "all of it is read");
    CsvPosition before = layout.rows;
    std::vector<std::string> fields;
    for (const Line& line : lines) {
        require(line.line > before.lines && line.end.lines >= line.line, "lines are in order");
        require(line.end.bytes > before.bytes, "records follow each other");
        before = line.end;
        if (line.shape != RecordShape::whole || line.text.contains('\0')) continue;
        split_record(line.text, layout.delimiter, fields);
        require(!fields.empty(), "a record has a field");
        for (const std::string& field : fields) require(is_utf8(field), "fields are UTF-8");
    }
    if (lines.empty()) return;
    const std::size_t middle = lines.size() / 2;
    CsvReader resumed{read_text(text, 7)};
    resumed.set_delimiter(layout.delimiter);
    resumed.go_to(lines[middle].end);
    const std::vector<Line> rest = read_all(resumed);
    require(
        std::equal(
            rest.begin(),
            rest.end(),
            lines.begin() + static_cast<std::ptrdiff_t>(middle) + 1,
            lines.end()
        ),
        "it goes on where it was"
    );
}

void check_batches(CsvReader& reader, const CsvLayout& layout)
{
    reader.go_to(layout.rows);
    while (true) {
        const auto batch = read_batch(reader, layout, system_random(), 3, {});
        require(batch && *batch, "text can be read");
        require((*batch)->entries.size() + (*batch)->invalid.size() <= 3, "a batch has its limit");
        for (const NewEntry& entry : (*batch)->entries) {
            require(is_utf8(entry.email) && !entry.email.contains('\0'), "an address is text");
            require(!entry.fields || is_utf8(*entry.fields), "fields are text");
        }
        for (const NewInvalidLine& line : (*batch)->invalid) {
            require(is_utf8(line.content) && !line.content.contains('\0'), "content is text");
            require(!line.reason.empty(), "an invalid line has a reason");
        }
        if ((*batch)->is_last) return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    CsvReader reader{read_text(text, 1'000'000)};
    const auto layout = read_layout(reader);
    if (!layout) {
        require(layout.error().code == Errc::invalid_argument, "text can be read");
        require(is_utf8(layout.error().detail), "a refusal is a sentence");
        return 0;
    }
    require(layout->names.at(layout->address_column) == "email", "addresses have a column");
    check_records(reader, *layout, text);
    check_batches(reader, *layout);
    return 0;
}
