#pragma once

// MemoryStore: records in this process, for cached operations and for tests.
//
// A record lives as long as the process; nothing is written anywhere. Calls complete inline, on the
// caller's thread. The audit keeps the last entries of each key and goes with its record.
//
// Thread-safe: keys are spread over shards, each behind a mutex of its own.

#include "store/store.hpp"

#include <umavez/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace umavez {

struct MemoryStoreOptions {
    const Clock* clock = nullptr;  // nullptr: the system's. Outlives the store.

    // For tests of leased operations: the store is treated as if it survived the process.
    bool declared_durable = false;

    bool audit = true;
    std::size_t shards = 64;  // rounded up to a power of two

    // 0: drawn at random, so that nobody can choose keys that collide. The simulator fixes it.
    std::uint64_t hash_seed = 0;
};

std::unique_ptr<Store> make_memory_store(const MemoryStoreOptions& options = {});

}  // namespace umavez
