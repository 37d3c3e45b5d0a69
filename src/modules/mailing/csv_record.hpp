#pragma once

// One record of a CSV file: where it ends, and its fields.
//
// Own code, not libcsv: that one does not tell where in the file a record ended, which a checkpoint needs,
// keeps a field of any length, and cannot go back to the line after a quote that nobody closed.
//
// As in RFC 4180, and as forgiving as Python's csv module (skipinitialspace) where files are not: a field
// that begins with a quote, after spaces or not, ends at the next single one; what stands between that and
// the delimiter belongs to the field; a quote inside a field that began without one is a character. Lines
// end with LF, CRLF or CR.
//
// Pure, thread-safe.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::mailing {

inline constexpr std::size_t record_bytes_max = std::size_t{64} * 1024;
// A quote that nobody closes is looked for no further, which bounds what a hostile file costs: each of its
// lines is read this often.
inline constexpr std::size_t record_lines_max = 100;

inline constexpr char no_delimiter = '\0';  // of a file of one column

enum class RecordShape : std::uint8_t {
    whole,
    unclosed,  // a quote was not closed; what was found is the line on which the record begins
    too_long,  // not even that line ends within record_bytes_max
};

struct FoundRecord {
    RecordShape shape = RecordShape::whole;
    std::size_t text_bytes = 0;  // without its line end
    std::size_t bytes = 0;       // with it. too_long: whatever was looked at; the line goes on
    std::int64_t lines = 0;
};

// The record at the beginning of `text`, which is not empty, and reaches to the end of the file or further
// than record_bytes_max plus a line end.
FoundRecord find_record(std::string_view text, char delimiter);

// The fields of a whole record, as UTF-8 and without blanks at either end. A record that is not UTF-8 is
// read as Windows-1252: a file may show only after a million lines what it is.
void split_record(std::string_view text, char delimiter, std::vector<std::string>& fields);

}  // namespace umavez::mailing
