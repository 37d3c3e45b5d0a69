#pragma once

// Protected routes: from a function of a module to an endpoint that a client may retry.
//
//     void add_clientes(Api& api)
//     {
//         api.add(AtomicRoute{.route = {…}, .operation = {…}, .prepare = prepare_criar});
//         api.add(ReadRoute{.route = {…}, .prepare = prepare_mostrar});
//     }
//
// Every request is authenticated first (401, 403; the gate does so before a large body is read, the
// handler when it is there), then read (400, 415), then looked up and validated, then run. A module
// sees none of that: it validates in `prepare` and does its work in the action that `prepare`
// returns. Refusals are http::Problem everywhere.
//
// An Api is a plain value. What bind() adds to the router is thread-safe.

#include "access/caller.hpp"
#include "access/token_book.hpp"
#include "http/problem_catalogue.hpp"
#include "http/route.hpp"
#include "http/router.hpp"
#include "key_protocol/exchange.hpp"
#include "key_protocol/read_request.hpp"

#include <umavez/engine.hpp>
#include <umavez/lease.hpp>
#include <umavez/operation.hpp>
#include <umavez/transaction.hpp>

#include <expected>
#include <functional>
#include <vector>

namespace umavez::key_protocol {

// A value, or what the client did wrong. An Error of the Result around it is ours, or the store's.
template <typename T>
using OrProblem = std::expected<T, http::Problem>;

// Runs inside the transaction of its record, on the database's thread: SQL only. May run more than
// once, and only one run commits. A Problem undoes its SQL; whether it is then kept and replayed is
// for the policy's finality to say. Headers outside the replay list (replay_headers.hpp) reach the
// first caller alone.
using AtomicAction = std::function<Result<OrProblem<Response>>(Transaction&)>;

// Runs in a read-only transaction, on the database's thread.
using ReadAction = std::function<Result<OrProblem<http::Response>>(Transaction&)>;

// A write endpoint whose rows and record commit together. Needs the role writer.
struct AtomicRoute {
    http::Route route;
    OperationSpec operation;  // name, policy, current, swept

    // Validation. Pure: it is called before anything is looked up, and its problem counts only
    // where the key has no final answer yet (a retry is answered even if its body would no longer
    // validate). Its problem leaves no record.
    std::function<OrProblem<AtomicAction>(const Exchange&)> prepare;
};

// Runs after its key was claimed, outside every transaction: this is where money moves. Awaits what
// it likes, hands lease.effect_key() to the other side, and watches lease.lost(). Its status
// completes the record: final ones are kept, one that tells nothing (5xx), and an exception, leaves
// the key in doubt unless the action called lease.untouched(). A Problem is a response like others.
using LeasedAction = std::function<Task<OrProblem<Response>>(Lease&)>;

// A write endpoint whose effect is not in our database. Needs the role writer.
struct LeasedRoute {
    http::Route route;
    OperationSpec operation;  // guarantee leased or cached; reconcile, load and work if it has them
    std::function<OrProblem<LeasedAction>(const Exchange&)> prepare;  // as of an AtomicRoute
};

struct ReadRoute {
    http::Route route;
    access::Role role = access::Role::reader;
    std::function<OrProblem<ReadAction>(const Exchange&)> prepare;
};

// Anything else that needs a caller: it awaits what it likes and is not made safe to retry.
struct CallRoute {
    http::Route route;
    access::Role role = access::Role::reader;
    std::function<Task<OrProblem<http::Response>>(const Exchange&)> call;
};

// Runs on a thread of its own kind (SideThreads), where it may block: reading the file, flushing
// it, waiting for the database.
using UploadAction = std::function<OrProblem<http::Response>(const Exchange&)>;

// An endpoint whose body is an upload (http::Body::spooled_bytes_max): Exchange::request.spooled,
// never null or empty. Who may not come in, or sends what it does not take, is refused before the
// body is read. What `call` does must be safe to retry by itself: there is no key.
struct UploadRoute {
    http::Route route;
    access::Role role = access::Role::writer;
    UploadAction call;
    std::size_t threads = 2;  // so many at once; the others wait their turn
};

// What bound routes use. All but the settings outlive the router.
struct ApiNeeds {
    Engine& engine;
    Database& database;
    const access::TokenBook& tokens;
    const http::ProblemCatalogue& problems;
    const Clock& clock;
    ProtocolSettings settings;
};

class Api {
public:
    void add(AtomicRoute route) { atomic_.push_back(std::move(route)); }
    void add(LeasedRoute route) { leased_.push_back(std::move(route)); }
    void add(ReadRoute route) { reads_.push_back(std::move(route)); }
    void add(CallRoute route) { calls_.push_back(std::move(route)); }
    void add(UploadRoute route) { uploads_.push_back(std::move(route)); }

    // Of all protected routes, valid until the next add() or bind(). Policies may still be changed:
    // the file of a deployment has the last word.
    std::vector<OperationSpec*> operations();

    // Moves everything into the router. The operations must be declared on the engine, with the
    // policies that are here.
    void bind(http::Router& router, const ApiNeeds& needs);

private:
    std::vector<AtomicRoute> atomic_;
    std::vector<LeasedRoute> leased_;
    std::vector<ReadRoute> reads_;
    std::vector<CallRoute> calls_;
    std::vector<UploadRoute> uploads_;
};

}  // namespace umavez::key_protocol
