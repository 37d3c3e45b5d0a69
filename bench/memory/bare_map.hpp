#pragma once

// BareMap: what a store in memory cannot beat. A flat hash map in 64 shards, one mutex each, that keeps the
// same record under the same key bytes; no rules, no leases, no clock. Thread-safe.

#include <umavez/record.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace umavez::bench {

class BareMap {
public:
    void insert(std::uint64_t number);
    void update(std::uint64_t number, Response response);
    Response find(std::uint64_t number) const;

private:
    // The record stands apart from the table: growing it moves pointers, not records.
    struct alignas(64) Shard {
        mutable std::mutex mutex;
        boost::unordered_flat_map<std::string, std::unique_ptr<Record>> records;  // guarded by mutex
    };

    Shard& shard_of(const std::string& key);
    const Shard& shard_of(const std::string& key) const;

    std::array<Shard, 64> shards_;
};

}  // namespace umavez::bench
