#pragma once

// /ops/messages and /ops/broker: what is on its way to the broker or to workers, for operators. Added by
// operator_routes. Thread-safe.

#include "key_protocol/protect.hpp"
#include "operators/operator_routes.hpp"

#include <vector>

namespace umavez::messaging {

std::vector<key_protocol::CallRoute> message_routes(const operators::OperatorNeeds& needs);

}  // namespace umavez::messaging
