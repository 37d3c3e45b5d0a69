#pragma once

// The parts of add_routes (routes.hpp), each in a file of its name. Pure, thread-safe.

#include "key_protocol/protect.hpp"
#include "modules/mailing/orders.hpp"

namespace umavez::mailing {

void add_mailing_routes(key_protocol::Api& api);
void add_order_routes(key_protocol::Api& api, const Premises& premises);
void add_suppression_routes(key_protocol::Api& api);

}  // namespace umavez::mailing
