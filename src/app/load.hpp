#pragma once

// What most commands begin with: settings, and the database and engine they name. Thread-safe.

#include "app/commands.hpp"
#include "app/fiscal.hpp"
#include "app/modules.hpp"
#include "app/settings.hpp"
#include "app/webhooks.hpp"
#include "operators/operator_routes.hpp"

#include <umavez/engine.hpp>
#include <umavez/transaction.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace umavez {

// From the flags of `invocation`, the process environment and the file.
Result<Settings> load_settings(const Invocation& invocation);

// Complains, and tells wrong usage (a flag) from a wrong environment or file by the exit code.
int refuse_settings(const Error& error);

// The tables of the engine, of the tokens and of all modules.
std::vector<Migration> all_migrations(const Modules& modules, Dialect dialect);

// The engine stops before the database closes, and before what its operations call is gone.
struct OpenEngine {
    Modules modules;
    std::unique_ptr<Database> database;
    std::unique_ptr<Fiscal> fiscal;
    std::unique_ptr<Engine> engine;
    Webhooks webhooks;
};

// Opens both, declares and configures the operations, and starts the engine.
Result<OpenEngine> open_all(
    const Settings& settings,
    EngineOptions options,
    const DatabaseOptions& database_options = {},
    OnProcessed on_processed = {},
    OnFiscal on_fiscal = {}
);

// What operators may ask and order besides the engine's own: webhooks, accounts, deliveries, mailings, fiscal
// documents, whose module outlives the routes.
// `on_ordered` is called after the commit of an order that gives the workers of mailings something to do.
std::vector<key_protocol::CallRoute> more_operator_routes(
    const operators::OperatorNeeds& needs,
    const Settings& settings,
    Fiscal& fiscal,
    std::function<void()> on_ordered = {}
);

// The same, and what only somebody on the machine of the database may order.
std::vector<key_protocol::CallRoute> more_local_routes(
    const operators::OperatorNeeds& needs,
    const Settings& settings,
    Fiscal& fiscal,
    const std::function<void()>& on_ordered = {}
);

// Of the database's file, absolute; empty where there is none (in memory, or on a server).
std::string database_path(const Settings& settings);

// Of the database's control socket; empty where there is none: in memory, and on a server, which every
// command opens for itself.
std::string control_socket_path(const Settings& settings);

}  // namespace umavez
