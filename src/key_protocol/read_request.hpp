#pragma once

// From an HTTP request to what the engine is asked: the checks that need no store, in the order of
// the contract (body, then key). Authentication came before, validation of fields comes after the
// look-up. Pure, thread-safe.

#include "http/message.hpp"
#include "http/problem.hpp"
#include "json/tree.hpp"
#include "key_protocol/key_header.hpp"
#include "key_protocol/prefer.hpp"

#include <umavez/names.hpp>
#include <umavez/outcome.hpp>
#include <umavez/policy.hpp>
#include <umavez/time.hpp>

#include <chrono>
#include <expected>
#include <optional>
#include <string>

namespace umavez::key_protocol {

// `[idempotency]` of the configuration. Immutable after start.
struct ProtocolSettings {
    KeySyntax key_syntax = KeySyntax::lenient;
    Duration wait_max = std::chrono::seconds{30};
    int mismatch_status = 409;  // or 422
};

// A write endpoint. Immutable after start.
struct ProtectedRoute {
    Operation operation;
    std::string pattern;  // as the router has it: "/api/v1/clientes/{id}"
    Policy policy;
    std::optional<Target> target_without_query = {};  // where the pattern has no parameters
};

struct ReadRequest {
    Request request;               // for the engine
    std::optional<Wait> wait;      // for the answer; request.wait is the same
    std::optional<JsonTree> json;  // the body, where it is JSON; borrows its text
};

// A problem means that nothing was looked up and no record was left. A key on a request that asks
// for another protocol (Upgrade) is refused: what would be kept is no answer.
std::expected<ReadRequest, http::Problem> read_request(
    const http::Request& request,
    TenantId tenant_id,
    const ProtectedRoute& route,
    const ProtocolSettings& settings
);

}  // namespace umavez::key_protocol
