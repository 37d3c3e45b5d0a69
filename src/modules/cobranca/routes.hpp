#pragma once

// The endpoints of Cobrança: /api/v1/assinaturas, /faturas, /pagamentos and /concessoes. They are
// added before the server starts; what they do then is thread-safe.

#include "key_protocol/protect.hpp"

namespace umavez::cobranca {

void add_routes(key_protocol::Api& api);

}  // namespace umavez::cobranca
