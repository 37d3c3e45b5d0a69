#pragma once

// EngineSide: cached operations on a Redis server, 64 callers as coroutines of one thread, audit
// included. Confined to its thread.

#include "support/requests.hpp"

#include <umavez/engine.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace umavez::bench {

class EngineSide {
public:
    explicit EngineSide(const std::string& url);

    // Claim and finish of fresh keys, per second.
    double pairs(std::chrono::milliseconds window);
    // Replays of the keys that pairs() finished.
    double replays(std::chrono::milliseconds window);
    // The same by one blocking caller: median of a claim in µs.
    double claim_p50(std::chrono::milliseconds window);
    std::uint64_t keys() const noexcept { return next_; }
    std::uint64_t replayed() const noexcept { return replayed_; }

private:
    std::unique_ptr<Engine> engine_;
    Requests requests_;
    std::uint64_t next_ = 0;
    std::uint64_t replayed_ = 0;
};

}  // namespace umavez::bench
