#pragma once

// Rows of entries on their way through SENDING: the statements of the ledger, one for each step. They
// change no mailing: what they changed is counted, and the ledger writes it down in the same transaction.
//
// Confined to the thread of the transaction.

#include "modules/mailing/ledger.hpp"

#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace umavez::mailing {

// Entries that came to an end in this transaction.
struct Changes {
    std::int64_t sent = 0;
    std::int64_t failed = 0;
    std::int64_t unknown = 0;

    void add(EntryStatus status) noexcept;
};

// A hundred in one statement. A result that is written already, by a commit that nobody answered, finds
// its entry not in SENDING any more and counts nothing.
Result<void> write_results(
    Transaction& transaction,
    std::int64_t mailing_id,
    const std::vector<EntryResult>& results,
    Changes& changes
);

// Whatever is in SENDING is PENDING again.
Result<void> take_back_marks(Transaction& transaction, std::int64_t mailing_id);

// At most `batch` entries that are due, the longest due first, are in SENDING now.
Result<std::vector<MarkedEntry>> mark_due(
    Transaction& transaction, std::int64_t mailing_id, std::size_t batch
);

// What is in SENDING already.
Result<std::vector<MarkedEntry>> find_marked(Transaction& transaction, std::int64_t mailing_id);

// Takes out those that may not be sent: the tenant's suppressed addresses, and those whose senders died
// with them, or were left without an answer, too often.
Result<void> drop_unwanted(
    Transaction& transaction,
    std::int64_t mailing_id,
    std::int64_t attempts_max,
    Marked& marked,
    Changes& changes
);

// How long until something is due; nullopt: nothing is PENDING.
Result<std::optional<Duration>> next_due(Transaction& transaction, std::int64_t mailing_id);

}  // namespace umavez::mailing
