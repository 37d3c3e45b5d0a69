#pragma once

// Ingestion: the rows of an uploaded file become entries, one for each address.
//
// Each closure proves that the lock is ours, inserts its rows, and saves with them how far the file was
// read and what was counted. Whoever comes next, after a pause or a crash, goes on there: a row is neither
// left out nor counted twice. A closure whose commit nobody answered is asked for by that position.
//
// Takes memory for one block of the file and two batches of rows. Confined to its thread.

#include "base/random.hpp"
#include "modules/mailing/ingest_batch.hpp"
#include "modules/mailing/lock.hpp"

#include <umavez/transaction.hpp>

#include <filesystem>
#include <stop_token>
#include <string>
#include <variant>

namespace umavez::mailing {

struct Complete {};      // every row is in; the mailing is PROCESSING, still under the lock
struct Stopped {};       // `stop` came; what was read is saved
struct Lost {};          // the mailing was paused, cancelled, or taken by somebody else
struct Unusable {        // nothing was changed: whoever holds the lock gives it back as FAILED
    std::string reason;  // in Portuguese, for whoever uploaded it
};

using Ingested = std::variant<Complete, Stopped, Lost, Unusable>;

struct IngestOptions {
    Random* random = &system_random();  // of the tokens; nobody may guess them
    std::size_t rows_max = batch_rows_max;
    std::int64_t invalid_kept = 10'000;  // lines; from then on a batch's are only counted
};

// Reads `file`, the one that `locked` was uploaded as, from where its row says. `locked` is INGESTING.
//
// not_found: the file is not there. store_unavailable, busy: the file or the database cannot be used now.
// store_unknown: nobody knows whether the last closure is in. After each of them try_lock, with the same
// token or another, gives the row to go on from; with the old one nothing is written and the answer is
// corrupt_record.
Result<Ingested> ingest(
    Database& database,
    const Locked& locked,
    const std::filesystem::path& file,
    const std::stop_token& stop,
    const IngestOptions& options = {}
);

}  // namespace umavez::mailing
