#pragma once

// What the routes of operators share: how they are declared and bound, and whose record they speak
// of. Pure, thread-safe.

#include "key_protocol/protect.hpp"
#include "operators/operator_routes.hpp"

#include <umavez/names.hpp>

#include <string>

namespace umavez::operators {

using Answer = key_protocol::OrProblem<http::Response>;
using Call = Task<Answer> (*)(OperatorNeeds, const key_protocol::Exchange&);

inline constexpr const char* record_pattern = "/ops/records/{tenant}/{operation}/{key}";

// A route of the tag Operators; what it answers is added by whoever knows.
http::Route declare(std::string method, std::string pattern, std::string id, std::string summary);

// For the role operator.
key_protocol::CallRoute bound(OperatorNeeds needs, http::Route declared, Call call);

// 200 with a line of JSON.
http::Response ok(std::string json);

// The record that a path of `record_pattern` names, if the caller looks after its tenant.
key_protocol::OrProblem<RecordId> read_id(const key_protocol::Exchange& exchange);

}  // namespace umavez::operators
