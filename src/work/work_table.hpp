#pragma once

// WorkTable: a table whose rows are work that may fail and be tried again: events of an inbox, deliveries.
//
// Such a table has the columns
//     id         its key
//     state      'pending' is to be done; every other word is an end, or waits for something
//     run        how many runs were ended; (id, run) names a run, and a run has one record of the engine
//     attempts   failures since the row was driven last
//     due_at     not before this instant; microseconds
//     takes      how often this run was taken and not ended: above 1, it may have killed an owner
//     last_error why the last attempt failed, or why nothing was done; null
//     changed_at when it reached its state
// and a partial index on (due_at, id) of what is pending.
//
// A run ends in the transaction that completes its record: whoever lost the lease changes no row. An
// operator who drives a row again gives it another run, so what is known of the old ones does not stop it.
//
// The functions are confined to the thread of their transaction.

#include "work/retry_delay.hpp"

#include <umavez/lease.hpp>
#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::work {

// Literals of ours, never input.
struct WorkTable {
    std::string_view name;       // "umavez_inbox"
    std::string_view operation;  // "webhook.processar"
    // One more condition on what may be taken; the row is called `item`, now is $2.
    std::string_view ready = {};
    std::string_view done = "done";  // the state of a row whose work was done
};

struct Item {
    std::int64_t id = 0;
    std::int64_t run = 0;
    friend bool operator==(const Item&, const Item&) = default;
};

struct Taken {
    Item item;
    std::int64_t takes = 1;
};

// "17.3" of the worker's own tenant: the identity of a run.
RecordId record_id_of(const WorkTable& table, const Item& item);

// Up to `limit` of what is due, the longest due first. They are put off by `hidden`, so that other workers
// look elsewhere: that saves work and protects nothing, the lease does.
Result<std::vector<Taken>> take_due(
    Transaction& transaction, const WorkTable& table, Duration hidden, std::size_t limit
);

// Not begun after all: due again at once, and the take does not count.
Result<void> put_back(
    Transaction& transaction, const WorkTable& table, const std::vector<Item>& items
);

// How a run ended.
struct Ended {
    std::string_view state = "pending";  // pending: it is tried again
    std::optional<std::string> why = {};
    bool is_failure = false;  // counts as an attempt
    Duration retry_in{0};     // for pending

    // More columns of text to set; the names are literals of ours.
    std::vector<std::pair<std::string_view, std::string>> also = {};
};

// Writes the end of a run and completes its record, in one transaction with whatever else is done there. An
// error, lease_lost above all, spoils the transaction.
Result<void> end_run(
    Transaction& transaction,
    const WorkTable& table,
    const Item& item,
    Lease& lease,
    const Ended& ended
);

// The same for several runs at once, in two statements. The rows that have one of the columns `also` get
// it, the others keep theirs.
struct EndedRun {
    Item item;
    Lease* lease = nullptr;
    Ended ended = {};
};
Result<void> end_runs(
    Transaction& transaction, const WorkTable& table, const std::vector<EndedRun>& runs
);

// Ends a run that nobody may begin any more, without its record. False: it was ended already.
Result<bool> mark_ended(
    Transaction& transaction, const WorkTable& table, const Item& item, const Ended& ended
);

// What a failure that may pass leads to: another attempt, or `dead` when the rule has no more. `attempts` is
// the column before this one.
Ended after_failure(const RetryRule& rule, std::int64_t attempts, std::string why, double random);

// Whatever its state: pending and due at once, with attempts counted anew. One that is pending already keeps
// its run, so only its wait is ended, and a run that is under way goes on. False: there is no such row.
Result<bool> drive_again(Transaction& transaction, const WorkTable& table, std::int64_t id);

// How many are pending, dead, and in the other states that somebody is to look at. By literals, so that the
// partial indexes of the table serve.
struct StateCount {
    std::string state;
    std::int64_t count = 0;
};
Result<std::vector<StateCount>> count_states(
    Transaction& transaction, const WorkTable& table, std::span<const std::string_view> states
);

}  // namespace umavez::work
