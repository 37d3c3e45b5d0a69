#pragma once

// What a webhook looks like on the wire (Standard Webhooks), and what its receiver's answer means. Pure,
// thread-safe.

#include "outbound/call.hpp"

#include <umavez/response.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::messaging {

// {"type":"fatura.paga","timestamp":"2026-01-31T12:00:00.000000Z","data":{…}}: the same bytes in every
// attempt. `data` is JSON.
std::string webhook_body(std::string_view type, Instant happened_at, std::string_view data);

// "v1,… v1,…": one signature for each secret, over "id.seconds.body". Secrets that are none sign nothing.
std::string sign_webhook(
    const std::vector<std::string>& secrets,
    std::string_view message_id,
    std::int64_t seconds,
    std::string_view body
);

// webhook-id, webhook-timestamp (of this attempt), webhook-signature, Content-Type, User-Agent.
std::vector<Header> webhook_headers(
    const std::vector<std::string>& secrets,
    std::string_view message_id,
    Instant sent_at,
    std::string_view body
);

struct Verdict {
    enum class Kind : std::uint8_t {
        delivered,  // 2xx
        gone,       // 410: the receiver wants nothing more, ever
        failed,     // may pass: tried again
        cut,        // by ourselves, nobody's failure
    };
    Kind kind = Kind::failed;
    std::string why = {};  // of a failure, and whether it may have arrived
    Duration wait_min{0};  // the receiver's own wish
};

Verdict judge(const std::expected<outbound::Reply, outbound::CallError>& outcome, Instant now);

}  // namespace umavez::messaging
