#pragma once

// PacedClaims: claims that arrive at a fixed rate, whatever became of those before.
//
// A claim's time counts from the moment it was due, not from the moment somebody was free to send it:
// a store that stands still for a while is late for every claim of that while. Each claim is completed
// outside of what is measured. Confined to its thread.

#include "support/requests.hpp"

#include <umavez/engine.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace umavez::bench {

struct ClaimTimes {
    double p50 = 0;  // microseconds
    double p99 = 0;
    std::size_t count = 0;
};

class PacedClaims {
public:
    // `engine` outlives it and knows the operation of Requests{}.
    PacedClaims(Engine& engine, int per_second) : engine_(engine), per_second_(per_second) {}

    ClaimTimes measure(std::chrono::milliseconds window);

private:
    Engine& engine_;
    const int per_second_;
    const Requests requests_;
    std::uint64_t next_ = 0;
};

}  // namespace umavez::bench
