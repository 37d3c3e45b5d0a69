#pragma once

// The one way in which a test waits: for what it means, with a deadline that only a hang reaches. A
// wait that is not met says "WAIT NOT MET: what, after n s", which is how tools/run_tests tells a slow
// machine from a fault. It ends its case, but for the last of these:
//
//     wait_until("the event is delivered", [&] { return receiver.count() == 1; });
//     wait_for("the handler has begun", begun.get_future());
//     if (!is_met("the gate opens", gate)) return …;         in a handler or another thread
//
// Thread-safe. UMAVEZ_WAIT_SECONDS makes the deadline longer.

#include "support/wait_limit.hpp"

#include <gtest/gtest.h>

namespace umavez::test {

// Where an exception would not end the case: the failure is noted, and the caller goes on.
template <typename Awaited>
[[nodiscard]] bool is_met(std::string_view what, Awaited&& awaited)
{
    if (became_true(awaited)) return true;
    ADD_FAILURE() << not_met(what);
    return false;
}

// The same on an event: `lock` holds the mutex of `changed`.
template <typename Condition>
[[nodiscard]] bool is_met(
    std::string_view what, std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
    Condition condition
)
{
    if (changed.wait_for(lock, wait_limit(), condition)) return true;
    ADD_FAILURE() << not_met(what);
    return false;
}

}  // namespace umavez::test
