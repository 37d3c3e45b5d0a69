#pragma once

// CallQueue: calls that wait for a lane, and which of them make up the next batch.
//
// A batch is of one kind. Its turn has the kind whose first call waited longest: were one kind always
// first, heartbeats would starve behind a stream of completions and leases would end under load.
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
    std::size_t size() const noexcept;

    // At most so many calls, as many as fit (limits::batch_members_max), no key of two calls, at least
    // one. What does not fit stays in its place.
    std::vector<Call*> take(std::size_t calls_max);

private:
    std::array<std::deque<Call*>, 4> by_kind_;
};

}  // namespace umavez::pg
