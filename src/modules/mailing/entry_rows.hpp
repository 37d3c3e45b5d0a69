#pragma once

// The rows that an ingestion writes. Confined to the thread of the transaction.

#include "modules/mailing/ingest_batch.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>

namespace umavez::mailing {

struct InsertedRows {
    std::int64_t entries = 0;
    std::int64_t duplicates = 0;  // addresses that the mailing has already
    std::int64_t invalid = 0;
};

enum class InvalidLines : std::uint8_t {
    kept,
    counted,  // a file without addresses, line by line, would be sixty times as large in the database
};

Result<InsertedRows> insert_rows(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::int64_t mailing_id,
    const IngestBatch& batch,
    InvalidLines invalid_lines
);

}  // namespace umavez::mailing
