#pragma once

// What operators ask and order, as routes: the one implementation behind /ops, the control socket
// and the commands of the program. What they order is audited with the label of their token.
//
// An operator looks after the tenant of its token; a token for tenant `*` looks after all of them.
//
// The routes are thread-safe.

#include "access/token_book.hpp"
#include "key_protocol/protect.hpp"

#include <umavez/engine.hpp>
#include <umavez/transaction.hpp>

#include <stop_token>
#include <vector>

namespace umavez::operators {

// All outlive the routes.
struct OperatorNeeds {
    Engine& engine;
    Database& database;
    access::TokenBook& tokens;
    std::stop_token stopping = {};  // the process wants to end: what takes long is given up
};

// /ops/records…, /ops/sweep, /ops/tokens…
std::vector<key_protocol::CallRoute> operator_routes(OperatorNeeds needs);

// What only somebody on the machine of the database may order: /ops/backup. It blocks the thread
// that asks.
std::vector<key_protocol::CallRoute> local_routes(OperatorNeeds needs);

// The parts of operator_routes, each in a file of its name.
std::vector<key_protocol::CallRoute> record_routes(OperatorNeeds needs);
std::vector<key_protocol::CallRoute> order_routes(OperatorNeeds needs);
std::vector<key_protocol::CallRoute> token_routes(OperatorNeeds needs);

}  // namespace umavez::operators
