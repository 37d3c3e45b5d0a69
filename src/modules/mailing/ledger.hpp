#pragma once

// The ledger of a mailing: which recipients were handed over, and what became of them.
//
// An entry is marked SENDING, durably, before it is handed over, and gets its result afterwards. One
// transaction writes the results of a batch and marks the next one, so a mail costs a fraction of a commit.
// Counts in the mailing's row change with the entries. All of it is fenced by the lock's token: whoever
// lost the lock writes nothing, and what it had handed over is UNKNOWN to those who come after it.
//
// Entries of a mailing in SENDING, apart from those whose results are given here, were never handed over: the
// one who took the lock settled those of the owner before. So after store_unknown the same call is made again
// with `collects`, and what an unanswered commit marked is found rather than guessed.
//
// Confined to the thread of the transaction.

#include "modules/mailing/lock.hpp"

#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace umavez::mailing {

// What became of an entry that was handed over.
struct EntryResult {
    std::int64_t entry_id = 0;
    EntryStatus status =
        EntryStatus::sent;      // sent, failed, unknown; pending: again, after `due_in`
    bool counts = true;         // as an attempt
    bool is_uncertain = false;  // it may have been sent
    Duration due_in{0};
    std::optional<std::string> external_id = {};
    std::optional<std::string> error = {};
};

// In SENDING, and durably so once the transaction is committed.
struct MarkedEntry {
    std::int64_t id = 0;
    std::string email;
    std::string token;
    std::optional<std::string> fields;
    std::int64_t attempts = 0;
    bool was_uncertain = false;
    std::int64_t due_at = 0;  // micros of the store's clock
};

struct Advance {
    std::vector<EntryResult> results;
    std::size_t batch = 8;               // 0: mark nothing, and take back what is marked
    bool collects = false;               // find what is marked already, before marking more
    std::int64_t attempts_max = 8;       // entries that have had them are given up, not sent
    std::optional<std::string> trouble;  // for the mailing's `error`
};

struct Marked {
    std::vector<MarkedEntry> entries;  // the longest due first
    std::int64_t dropped = 0;          // suppressed, or out of attempts
    // With no entries and none dropped: how long until the next is due. Nullopt: there is none left.
    std::optional<Duration> due_in;
};

// Results, then marks. lease_lost: not ours, or not PROCESSING any more; nothing was written.
Result<Marked> advance(Transaction& transaction, const Owner& owner, const Advance& step);

// The way out: results, what was marked and not handed over is PENDING again, the lock is given back and
// the mailing left in `next` unless somebody paused or cancelled it. False: the lock was lost, nothing was
// written. Called again after store_unknown it is true where the first call was committed.
struct Leave {
    std::vector<EntryResult> results;
    Status next = Status::queued;
    std::optional<std::string> error = {};
};
Result<bool> leave(Transaction& transaction, const Owner& owner, const Leave& step);

// The end: COMPLETED, and the lock given back; also where an earlier call had done it. lease_lost as above.
Result<void> finish(Transaction& transaction, const Owner& owner);

// Whether an owner may go on, without a sign of life: for those who wait, and watch for a pause.
Result<bool> may_go_on(Transaction& transaction, const Owner& owner);

}  // namespace umavez::mailing
