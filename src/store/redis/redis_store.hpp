#pragma once

// The Redis store: records of cached operations, shared by processes, on the server's clock.
//
// Cache-grade: an acknowledged record can be lost with the server (a crash between two writes of
// its file, a failover, a flush). The store refuses to open on a server that evicts, on a replica
// and on a cluster, and tells when the server was emptied under it. docs/operating/redis.md says
// what is promised and what not.
//
// Thread-safe. Uses nothing newer than Redis 6.2; tested with 7.0.

#include "store/store.hpp"

#include <memory>
#include <string_view>

namespace umavez {

struct RedisStoreOptions {
    bool audit = true;

    // A test's: stands for the clock of the server. Outlives the store.
    const Clock* clock = nullptr;
};

// The URL is described in redis_url.hpp. misconfigured: the sentence names the setting and the
// cure.
Result<std::unique_ptr<Store>> open_redis_store(
    std::string_view url, const RedisStoreOptions& options = {}
);

}  // namespace umavez
