#pragma once

// GET /api/v1/idempotency/{operation}/{key}: what became of one's own key.
//
// For a client that lost the answer, or an operator of a client: it sees the state of the record,
// never its answer, for which there is the retry. Another tenant's key is not found, like one that
// was never used. Pure but for the route, whose engine outlives it; thread-safe.

#include "key_protocol/protect.hpp"

#include <umavez/engine.hpp>
#include <umavez/record.hpp>

#include <string>

namespace umavez::key_protocol {

// JSON with status, attempts, times, and (once it is final) the stored status and its Location.
std::string to_key_status(const RecordId& id, const Record& record, Instant now);

CallRoute key_status_route(Engine& engine);

}  // namespace umavez::key_protocol
