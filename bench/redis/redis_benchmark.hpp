#pragma once

// RedisBenchmark: the server's own load generator, as the side we are measured by. A mistake ends
// the program. Confined to its thread.

#include <cstdint>
#include <string>
#include <vector>

namespace umavez::bench {

struct Pipelines {
    int connections = 2;
    int depth = 32;  // of each
};

// Commands per second of `count` times one command; `__rand_int__` in a word is drawn below `keys`.
double run_redis_benchmark(
    const std::string& socket_path,
    Pipelines pipelines,
    std::uint64_t count,
    std::uint64_t keys,
    const std::vector<std::string>& command
);

}  // namespace umavez::bench
