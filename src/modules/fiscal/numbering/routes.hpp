#pragma once

// The endpoints of numbering: /api/v1/numeracao/faixas, /reservas and /inutilizaveis. They are added before
// the server starts; what they do then is thread-safe.

#include "http/schema.hpp"
#include "key_protocol/protect.hpp"

#include <umavez/names.hpp>

#include <functional>
#include <string>

namespace umavez::fiscal {

// Whether this tenant may issue in this name.
using IsIssuer = std::function<bool(const TenantId&, const std::string& emitente)>;

void add_numbering_routes(key_protocol::Api& api, const IsIssuer& is_issuer);

// The parts, each in a file of its name.
void add_faixa_routes(key_protocol::Api& api, const IsIssuer& is_issuer);
void add_reserva_routes(key_protocol::Api& api, const IsIssuer& is_issuer);

// What they share: the fields that name a series, and how documents list these routes.
std::vector<http::Field> serie_fields();
std::string numbering_tag();

}  // namespace umavez::fiscal
