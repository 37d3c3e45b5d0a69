#pragma once

// What operators ask and order about webhooks: /ops/webhooks…, /ops/accounts…, for HTTP, the control socket
// and the command line alike. Events of a tenant are seen by its operators; accounts, which decide whose
// events are, are given by operators of all tenants.
//
// The routes are thread-safe.

#include "key_protocol/protect.hpp"
#include "operators/operator_routes.hpp"

#include <vector>

namespace umavez::webhook {

std::vector<key_protocol::CallRoute> operator_routes(const operators::OperatorNeeds& needs);

// Its parts.
std::vector<key_protocol::CallRoute> event_routes(const operators::OperatorNeeds& needs);
std::vector<key_protocol::CallRoute> account_routes(const operators::OperatorNeeds& needs);

}  // namespace umavez::webhook
