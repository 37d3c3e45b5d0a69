#pragma once

// CsvReader: the records of a file one after the other, from any place where one ended.
//
// It holds one block of the file, whatever the file's size. A record that cannot be read (a quote that nobody
// closed, a line without end, bytes 0) costs one line: reading goes on at the next.
//
// Confined to its thread.

#include "modules/mailing/csv_record.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace umavez::mailing {

// A place between two records: what was read before it.
struct CsvPosition {
    std::int64_t bytes = 0;
    std::int64_t lines = 0;
    friend bool operator==(const CsvPosition&, const CsvPosition&) = default;
};

struct CsvRecord {
    RecordShape shape = RecordShape::whole;
    std::string_view
        text;  // until the next record is asked for; of one that is too long its beginning
    std::int64_t line = 0;  // on which it begins; the first is 1
    CsvPosition end;
};

// Reads at an offset, as much as it likes; 0 at the end.
using ReadAt = std::function<Result<std::size_t>(std::int64_t offset, std::span<char> into)>;

// not_found: there is no such file. store_unavailable: it cannot be opened or read now.
Result<ReadAt> open_file(const std::filesystem::path& path);

class CsvReader {
public:
    explicit CsvReader(ReadAt read_at);

    void go_to(const CsvPosition& position);
    const CsvPosition& position() const noexcept { return position_; }
    void set_delimiter(char delimiter) noexcept { delimiter_ = delimiter; }
    char delimiter() const noexcept { return delimiter_; }

    // What is ahead: at least `record_bytes_max` and a line end, unless the file ends before.
    Result<std::string_view> peek();
    void skip_bytes(std::size_t bytes);  // of what was peeked at; they have no line end

    // The next record, empty ones left out. Nullopt at the end of the file.
    Result<std::optional<CsvRecord>> next();

private:
    std::string_view ahead() const noexcept;
    Result<void> fill();
    Result<void> skip_line();

    ReadAt read_at_;
    char delimiter_ = no_delimiter;
    CsvPosition position_;     // of the first byte ahead
    std::string block_;        // of the file
    std::size_t at_ = 0;       // what is ahead begins here in the block
    std::size_t end_ = 0;      // and ends here
    bool is_at_end_ = false;   // the file has no more than the block
    std::string long_record_;  // the beginning of one that is too long
};

}  // namespace umavez::mailing
