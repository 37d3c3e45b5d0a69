#pragma once

// CallQueue: calls that wait for a lane, and which of them make up the next batch.
//
// A batch is of one kind. Its turn has the kind whose first call waited longest: were one kind always
// first, heartbeats would starve behind a stream of completions and leases would end under load.
//
// Callers that were answered together ask together. Were all of them one batch again and again, one of the
// server's processes would work while all others wait: so of many only half is taken, and the other half
// makes a batch beside it.
//
// Not thread-safe.

#include "store/postgres/call.hpp"

#include <array>
#include <deque>

namespace umavez::pg {

class CallQueue {
public:
    void push(Call& call);
    bool is_empty() const noexcept;

    // Whether so many wait that a batch of them is worth what every batch costs, full or not.
    bool is_worth_a_batch() const noexcept;

    // As many as fit (limits::batch_members_max), no key of two calls, at least one; half of those that
    // are more than worth a batch. What does not fit stays in its place.
    std::vector<Call*> take();

private:
    std::array<std::deque<Call*>, 4> by_kind_;
};

}  // namespace umavez::pg
