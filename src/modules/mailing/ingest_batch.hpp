#pragma once

// IngestBatch: what one closure of the ingestion writes, and how rows of the file become it.
//
// A line with fewer columns than the header has empty ones at its end. One with more is invalid, unless
// they are empty: an address next to the wrong name is worse than none. A line without any text is left
// out.
//
// Confined to the thread of the reader.

#include "base/random.hpp"
#include "modules/mailing/csv_layout.hpp"
#include "modules/mailing/csv_reader.hpp"

#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace umavez::mailing {

inline constexpr std::size_t batch_rows_max = 1'000;
// Of their texts: a row may be many times as large as most, and a batch is held as a whole.
inline constexpr std::size_t batch_bytes_max = std::size_t{2} * 1024 * 1024;
inline constexpr std::size_t invalid_characters_max = 200;

struct NewEntry {
    std::string email;
    std::string token;
    std::optional<std::string> fields;  // JSON: the other columns; nullopt: there are none
    std::int64_t line = 0;
};

struct NewInvalidLine {
    std::int64_t line = 0;
    std::string content;
    std::string reason;
};

struct IngestBatch {
    CsvPosition end;       // of what it was made of
    bool is_last = false;  // the file ends here
    std::vector<NewEntry> entries;
    std::vector<NewInvalidLine> invalid;
};

// 128 random bits in base64url: 22 characters.
std::string make_entry_token(Random& random);

// The next rows. Nullopt: `stop` came; what was read is read again another time.
Result<std::optional<IngestBatch>> read_batch(
    CsvReader& reader,
    const CsvLayout& layout,
    Random& random,
    std::size_t rows_max,
    const std::stop_token& stop
);

}  // namespace umavez::mailing
