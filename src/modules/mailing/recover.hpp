#pragma once

// The recovery scan: what dead workers left behind.
//
//   INGESTING, PROCESSING without a sign of life → PENDING, without owner, with one wake-up on its way
//   paused, cancelled … with a dead owner        → the owner is taken off, what it was sending is settled
//   PENDING, QUEUED for longer than `forgotten` without a wake-up on its way → gets one
//
// Any number of processes scan at once: a mailing that another scan, or its owner, holds at this moment is
// passed over, so nobody waits and nobody writes a second wake-up. Confined to the thread of its transaction.

#include <umavez/transaction.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace umavez::mailing {

struct Recovered {
    std::vector<std::string> stale;  // uuids that went back to PENDING
    std::size_t left = 0;            // locks of dead owners that were taken off
    std::size_t woken = 0;           // that were forgotten
    std::int64_t uncertain = 0;      // entries that were in SENDING
    bool has_more = false;           // one of the three found as many as the limit

    std::size_t changed() const noexcept { return stale.size() + left + woken; }
};

Result<Recovered> recover(
    Transaction& transaction, Duration lock_timeout, Duration forgotten, std::size_t limit
);

}  // namespace umavez::mailing
