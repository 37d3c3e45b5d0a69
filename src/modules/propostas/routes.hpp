#pragma once

// The endpoints of Propostas: /api/v1/clientes and /api/v1/propostas. They are added before the
// server starts; what they do then is thread-safe.

#include "key_protocol/protect.hpp"
#include "modules/propostas/operations.hpp"

namespace umavez::propostas {

void add_routes(key_protocol::Api& api, const Settings& settings);

}  // namespace umavez::propostas
