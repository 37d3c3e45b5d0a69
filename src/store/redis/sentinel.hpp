#pragma once

// Sentinel: by it a store knows that the server still has what it had.
//
// A random text that the first store leaves in the server and every script compares. A server that
// was flushed, or came back without its data, does not have it: the script writes nothing and says
// so. Losses of single records (a failover, the last second of an append-only file) do not show
// here. Thread-safe.

#include "store/redis/redis_url.hpp"

#include <cstdint>
#include <mutex>
#include <string>

namespace umavez {

class Sentinel {
public:
    Sentinel(const RedisUrl& url, std::string fresh);

    // What the server must have; empty: not known yet.
    std::string expected() const;

    // What a store leaves where there is none.
    std::string fresh() const;

    // The server has `found`, which is ours or that of a store before us.
    void know(std::string found);

    // A script did not find `sent`. Gives the sentence for those who asked.
    std::string lost(const std::string& sent);

    // Not empty: nothing goes on, and this is why.
    std::string refusal() const;
    std::uint64_t losses() const;

private:
    const std::string place_;
    const OnEmptied on_emptied_;
    mutable std::mutex mutex_;  // guards everything below
    std::string fresh_;
    std::string expected_;
    std::uint64_t losses_ = 0;
};

// 128 random bits as text.
std::string random_text();

}  // namespace umavez
