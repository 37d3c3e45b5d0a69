#pragma once

// The endpoints of fiscal documents: /api/v1/documentos-fiscais. Numbering has its own.
//
//     fiscal::Module module{…};                            // module.hpp tells the order
//     problems.add_all(fiscal::problem_kinds());           // answers.hpp
//     database.migrate(… fiscal::migrations(dialect) …);   // schema.hpp
//     for (OperationSpec& spec : fiscal::operations(module)) engine.declare(std::move(spec));
//     fiscal::add_routes(api, module);
//
// The operations are not those of routes (Api::operations() does not list them): a POST is answered from the
// document's row before and after the engine is asked. Authorities are called on threads of the routes' own,
// never on a thread of the server. Added before the server starts; what they do then is thread-safe.

#include "key_protocol/protect.hpp"
#include "modules/fiscal/module.hpp"

namespace umavez::fiscal {

// The module outlives the router.
void add_routes(key_protocol::Api& api, Module& module);

}  // namespace umavez::fiscal
