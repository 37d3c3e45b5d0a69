#pragma once

// What the routes of clients and of proposals share. Pure, thread-safe.

#include "http/route.hpp"
#include "key_protocol/protect.hpp"
#include "modules/parts/route_parts.hpp"
#include "modules/propostas/answers.hpp"
#include "modules/propostas/entities.hpp"
#include "modules/propostas/operations.hpp"

#include <string>
#include <string_view>

namespace umavez::propostas {

void add_cliente_routes(key_protocol::Api& api, const Settings& settings);
void add_proposta_routes(key_protocol::Api& api, const Settings& settings);
key_protocol::ReadRoute historico_route();

http::Schema cliente_schema();
http::Schema proposta_schema();

// The proposal of the examples, as it is after some step.
std::string proposta_example(
    std::string_view estado, int versao, std::string_view valor = "1500.00"
);

}  // namespace umavez::propostas
