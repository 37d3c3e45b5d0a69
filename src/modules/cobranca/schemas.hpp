#pragma once

// What entities look like in documents, and the parts of add_routes. Pure, thread-safe.

#include "http/schema.hpp"
#include "key_protocol/protect.hpp"

#include <string>

namespace umavez::cobranca {

void add_assinatura_routes(key_protocol::Api& api);
void add_fatura_routes(key_protocol::Api& api);
void add_pagamento_routes(key_protocol::Api& api);
void add_concessao_routes(key_protocol::Api& api);

http::Schema assinatura_schema();
http::Schema fatura_schema();
http::Schema pagamento_schema();
http::Schema pagamento_aplicado_schema();  // with its invoice
http::Schema concessao_schema();

http::Field competencia_field();

// "Cobrança": where documents list all of this module's routes.
std::string tag();

// An answer that shows an entity with a version.
http::Answer versioned_answer(
    int status, std::string description, http::Schema schema, std::string example
);

}  // namespace umavez::cobranca
