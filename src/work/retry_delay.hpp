#pragma once

// How long a failed attempt waits for the next one: exponential backoff with full jitter. Pure, thread-safe.

#include <umavez/time.hpp>

#include <cstdint>

namespace umavez::work {

struct RetryRule {
    Duration first =
        std::chrono::seconds{2};  // the longest wait after the first failure; doubles each time
    Duration longest = std::chrono::hours{1};
    std::uint32_t attempts_max = 15;  // then the work is dead until an operator drives it again
};

// Uniform between 0 and the bound of this attempt: a crowd that failed together does not come back together.
// `failures` counts the one that just happened; `random` is in [0, 1).
Duration retry_delay(const RetryRule& rule, std::uint32_t failures, double random) noexcept;

}  // namespace umavez::work
