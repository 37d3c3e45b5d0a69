#pragma once

// The routes every umavez server has: what it is, whether it lives, whether it can work, its
// numbers.

#include "app/side_thread.hpp"
#include "database/sqlite/file_watch.hpp"
#include "http/problem_catalogue.hpp"
#include "http/router.hpp"
#include "telemetry/metrics.hpp"

#include <umavez/engine.hpp>
#include <umavez/transaction.hpp>

namespace umavez {

// All of them outlive the router; they belong to the server that is being built.
struct RouteNeeds {
    Database& database;
    Engine& engine;
    Metrics& metrics;
    SideThread& side_thread;
    const FileWatch& files;
    const http::ProblemCatalogue& problems;
};

void add_common_routes(http::Router& router, RouteNeeds needs);

}  // namespace umavez
