#pragma once

// The endpoints of messaging: /api/v1/destinos for tenants, /ops/deliveries and /ops/messages for operators.
// They are added before the server starts; what they do then is thread-safe.

#include "http/problem_catalogue.hpp"
#include "key_protocol/protect.hpp"
#include "operators/operator_routes.hpp"
#include "outbound/call.hpp"

#include <vector>

namespace umavez::messaging {

// The rule is that of the relay: what it will refuse to connect to is refused here where the URL shows it.
void add_routes(key_protocol::Api& api, const outbound::OutboundRule& rule = {});

std::vector<key_protocol::CallRoute> operator_routes(const operators::OperatorNeeds& needs);

// destinos-demais
std::vector<http::ProblemKind> problem_kinds();

}  // namespace umavez::messaging
