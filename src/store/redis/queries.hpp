#pragma once

// What people and workers ask of a Redis store: pages, counts, due work, sweeps.
//
// Due work and sweeps are answered from indexes. Pages and counts walk all records of the store
// (SCAN, a thousand at a time, so that others get their turn): they are for people, and for caches
// of a size that a walk can cover. Thread-safe.

#include "store/redis/client.hpp"
#include "store/store.hpp"

namespace umavez {

Async<RecordsPage> query_scan(RedisClient& client, RecordsQuery query);
Async<StoreCounts> query_count(RedisClient& client);
Async<Due> query_due(RedisClient& client, DueQuery query);
Async<Swept> sweep_records(RedisClient& client, std::size_t count_max);

}  // namespace umavez
