#pragma once

// The names of records and indexes in Redis.
//
// A record's identity is hashed: names are short, of one length, and hold no text of a client. The
// identity is in the record as well, and is compared on the way out. Everything that belongs to a
// record carries the same hash tag, `{0}` to `{15}`, so a record and its index entries lie in one
// slot. Immutable after construction.

#include <umavez/names.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace umavez {

inline constexpr std::size_t redis_partitions = 16;

class RedisNames {
public:
    explicit RedisNames(std::string prefix);

    // "umavez:{7}:r:<32 characters>"
    std::string record(const RecordId& id) const;
    // The index of due records of one operation: "umavez:{7}:d:pedidos.criar".
    std::string due(std::size_t partition, const Operation& operation) const;
    // Records that a sweep will look at: "umavez:{7}:x".
    const std::string& queue(std::size_t partition) const noexcept { return queues_[partition]; }
    // Runs, until their lease is over: "umavez:{7}:l".
    const std::string& leases(std::size_t partition) const noexcept { return leases_[partition]; }
    const std::string& sentinel() const noexcept { return sentinel_; }
    const std::string& prefix() const noexcept { return prefix_; }
    // For SCAN.
    std::string record_pattern() const { return prefix_ + ":{*}:r:*"; }

    // Of a name that record() made; redis_partitions: it is none.
    std::size_t partition_of(std::string_view record_name) const noexcept;

private:
    const std::string prefix_;
    const std::string sentinel_;
    std::string queues_[redis_partitions];
    std::string leases_[redis_partitions];
};

}  // namespace umavez
