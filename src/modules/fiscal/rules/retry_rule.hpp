#pragma once

// When a call that was not answered as hoped may be made again, and how long to wait. Pure, thread-safe.
//
// A call that changes something is made again only after an answer that proves that nothing was stored;
// never after a timeout, a lost connection or a 5xx, which are `unknown` and are asked about first.
// Questions may be asked again after everything that tells nothing.

#include "modules/fiscal/authority/word.hpp"
#include "modules/fiscal/rules/next_step.hpp"

#include <umavez/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace umavez::fiscal {

struct RetryRule {
    std::uint32_t attempts = 3;  // of one call, while somebody waits for it
    Duration first = std::chrono::seconds{1};
    Duration longest = std::chrono::seconds{30};  // doubles until then
    Duration throttle =
        std::chrono::hours{1};  // no call at all after `throttled`, if no time was told
};

// Whether the call may simply be made again. Throttled: not even that.
bool may_repeat(Act act, Word word) noexcept;

// The pause before the next attempt. `made`: attempts so far, 1 or more. `wish`: Said::wait, which wins over
// our own backoff; else uniform between nothing and the bound of this attempt, so that a crowd that failed
// together does not come back together. `random` is in [0, 1).
//
// Nullopt: not now. The attempts are used up, or the authority wants to be left alone for longer than
// anybody waits (`longest`).
std::optional<Duration> retry_delay(
    const RetryRule& rule, std::uint32_t made, std::optional<Duration> wish, double random
) noexcept;

// How long no call may be made after `throttled`. It begins anew with each such answer.
Duration block_for(const RetryRule& rule, std::optional<Duration> wish) noexcept;

}  // namespace umavez::fiscal
