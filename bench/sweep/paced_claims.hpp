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
#include <vector>

namespace umavez::bench {

// How long claims took, in microseconds. Plain value.
class ClaimTimes {
public:
    void add(const ClaimTimes& more);
    void add(const std::vector<double>& micros);

    double percentile(double share) const;
    std::size_t count() const noexcept { return micros_.size(); }

private:
    std::vector<double> micros_;
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
