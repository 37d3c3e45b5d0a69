#pragma once

// The same list three times: as somebody uploads it, and with every column of the table as the importers
// of the databases want it. Immutable after construction.

#include <cstddef>
#include <string>

namespace umavez::bench {

struct ListFiles {
    ListFiles(const std::string& prefix, std::size_t count);

    std::size_t rows;
    std::string upload;    // email;nome;cidade
    std::string sqlite;    // all columns: .import knows no others
    std::string postgres;  // the columns that an ingestion fills
};

// Those of `postgres`.
inline constexpr const char* copied_columns =
    "tenant_id, mailing_id, email, token, fields, line, created_at, updated_at";

}  // namespace umavez::bench
