#pragma once

// Randomness, injected like time: execution ids must not repeat, jitter need not be secret.
// Thread-safe.

#include <cstdint>

namespace umavez {

class Random {
public:
    virtual ~Random() = default;
    virtual std::uint64_t next() = 0;
};

// From the kernel, buffered per thread; a forked child starts with a fresh buffer.
Random& system_random() noexcept;

// Uniform in [0, bound); bound > 0.
std::uint64_t uniform(Random& random, std::uint64_t bound);

}  // namespace umavez
