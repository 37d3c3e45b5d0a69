#pragma once

// Fiscal documents for operators: one document with its calls, what became of one now, and all numbers.
// The routes are thread-safe.

#include "modules/fiscal/module.hpp"
#include "operators/operator_routes.hpp"

#include <vector>

namespace umavez {

// GET /ops/documentos-fiscais/{nome}, POST /ops/documentos-fiscais/{nome}/conciliar, GET /ops/numeracao.
// `nome` is an id, an access key, an id_idempotencia or the id of a DPS. The module outlives the routes.
std::vector<key_protocol::CallRoute> fiscal_operator_routes(
    const operators::OperatorNeeds& needs, fiscal::Module& module
);

}  // namespace umavez
