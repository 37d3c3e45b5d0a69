#pragma once

// Sending: one run of one delivery, under a lease of the engine.
//
// The call is made outside every transaction; its end is written in one, with the completion of the run.
// Whoever dies between the two leaves a delivery that is sent again, with the same webhook-id: receivers
// dedupe on it. Thread-safe.

#include "outbound/call.hpp"
#include "work/worker.hpp"

#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <chrono>
#include <stop_token>

namespace umavez::messaging {

struct DeliveryOptions {
    work::RetryRule retry = {
        .first = std::chrono::seconds{2}, .longest = std::chrono::hours{6}, .attempts_max = 20
    };
    outbound::OutboundRule outbound = {};
    std::chrono::milliseconds connect_timeout = std::chrono::seconds{5};
    std::chrono::milliseconds total_timeout = std::chrono::seconds{15};  // well below the lease
    const Clock* clock = nullptr;  // of webhook-timestamp; nullptr: the system's
};

// The database outlives what is made of it. `cut` ends a call that is under way; its delivery is due at once
// and no failure is counted. So does a lease that is lost.
work::RunItem make_sender(Database& database, DeliveryOptions options, std::stop_token cut = {});

}  // namespace umavez::messaging
