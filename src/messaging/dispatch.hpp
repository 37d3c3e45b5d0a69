#pragma once

// From the outbox to its ways out: events that were not given out yet become deliveries, and messages where
// a broker is in use.
//
// An event is given to every destination of its tenant that was there when it happened, is not removed and
// wants its type. What is to be given out is found by its mark, never by "ids above the last one", so a
// lower id that commits later is not passed over. On PostgreSQL a second dispatcher does not overtake the
// first: the order of an aggregate's deliveries is the order of its events, however many there are. It asks
// (try_dispatching) and comes again later; one that does not ask waits for the first.
//
// Another way out takes the same batch in the same transaction. Confined to the thread of the transaction.

#include <umavez/transaction.hpp>

#include <cstddef>
#include <cstdint>

namespace umavez::messaging {

// Events that were marked together, in this transaction.
struct DispatchBatch {
    std::size_t events = 0;
    std::int64_t first_id = 0;  // and last_id: a range in which others may lie that were not marked
    std::int64_t last_id = 0;
    Instant dispatched_at;  // of all of them
};

// Makes this transaction the one that gives out events. False: another is at it.
Result<bool> try_dispatching(Transaction& transaction);

// The oldest events that are not marked, at most `limit`, are marked.
Result<DispatchBatch> take_undispatched(Transaction& transaction, std::size_t limit);

// The deliveries of a batch.
Result<void> make_deliveries(Transaction& transaction, const DispatchBatch& batch);

// The messages of a batch, where a broker is in use (broker_use.hpp).
Result<void> make_messages(Transaction& transaction, const DispatchBatch& batch);

// All of it. Tells how many events there were: as many as the limit means that there may be more.
Result<std::size_t> dispatch_once(Transaction& transaction, std::size_t limit);

}  // namespace umavez::messaging
