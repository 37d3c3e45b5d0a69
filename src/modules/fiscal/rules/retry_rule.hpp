#pragma once

// How long to wait before a call that was not answered as hoped is made again. Whether it may be made again
// at all is next_step.hpp's (Then::wait). Pure, thread-safe.

#include <umavez/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace umavez::fiscal {

struct RetryRule {
    std::uint32_t attempts = 3;  // of one call, while somebody waits for it
    Duration first = std::chrono::seconds{1};
    Duration longest = std::chrono::seconds{30};  // doubles until then
};

// The pause before the next attempt. `made`: attempts so far, 1 or more. `wish`: Said::wait, which wins over
// our own backoff; else uniform between nothing and the bound of this attempt, so that a crowd that failed
// together does not come back together. `random` is in [0, 1).
//
// Nullopt: not now. The attempts are used up, or the authority wants to be left alone for longer than
// anybody waits (`longest`).
std::optional<Duration> retry_delay(
    const RetryRule& rule, std::uint32_t made, std::optional<Duration> wish, double random
) noexcept;

}  // namespace umavez::fiscal
