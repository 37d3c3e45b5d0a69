#pragma once

// The routes every umavez server has: what it is, whether it lives, whether it can work, its
// numbers; and those of its modules.

#include "access/token_book.hpp"
#include "app/last_count.hpp"
#include "app/mailings.hpp"
#include "app/readiness.hpp"
#include "app/webhooks.hpp"
#include "base/side_threads.hpp"
#include "http/problem_catalogue.hpp"
#include "http/router.hpp"
#include "key_protocol/protect.hpp"
#include "telemetry/metrics.hpp"

#include <umavez/engine.hpp>
#include <umavez/transaction.hpp>

namespace umavez {

// All of them outlive the router; they belong to the server that is being built.
struct RouteNeeds {
    Database& database;
    Engine& engine;
    const access::TokenBook& tokens;
    Metrics& metrics;
    SideThreads& side_thread;
    Readiness& readiness;
    LastCount& last_count;
    const http::ProblemCatalogue& problems;
    LastValue<EngineSnapshot::Mailings>& last_mailings;
    LastValue<EngineSnapshot::Fiscal>& last_fiscal;
    const std::vector<std::string>&
        authorities;                           // that may be called: their numbers are always shown
    const MailingWorkers* mailings = nullptr;  // null: another process works on them
    bool is_private = true;  // listens on a loopback address: numbers and causes are for everybody
};

void add_common_routes(http::Router& router, const RouteNeeds& needs);

// Where providers send their events. `workers`, null where another process works on them, outlive the router.
void add_webhook_routes(
    http::Router& router, const RouteNeeds& needs, const Webhooks& webhooks, WebhookWorkers* workers
);

// What the modules serve, the status of keys, and 401 instead of 404 under /api and /ops for whom
// no token admits.
void add_api_routes(
    http::Router& router,
    key_protocol::Api api,
    const RouteNeeds& needs,
    const key_protocol::ProtocolSettings& settings
);

}  // namespace umavez
