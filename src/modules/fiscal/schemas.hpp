#pragma once

// What fiscal documents look like in the API's description, and the parts of add_routes. Pure, thread-safe.

#include "http/schema.hpp"
#include "key_protocol/protect.hpp"
#include "modules/fiscal/counter.hpp"

#include <memory>
#include <string>

namespace umavez::fiscal {

void add_document_routes(key_protocol::Api& api, const std::shared_ptr<Counter>& counter);
void add_order_routes(key_protocol::Api& api, const std::shared_ptr<Counter>& counter);
void add_voiding_routes(key_protocol::Api& api, const std::shared_ptr<Counter>& counter);

http::Schema documento_schema();
http::Schema resultado_schema();  // {"sucesso", "documento", "origem"}
http::Schema tentativa_schema();

extern const char* const documento_example;
extern const std::string resultado_example;

// "Fiscal": where the description lists all of this module's routes.
std::string tag();

http::Answer resultado_answer(int status, std::string description);

}  // namespace umavez::fiscal
